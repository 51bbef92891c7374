import { synonyms } from "./synonyms.ts";

/**
 * Tells which of the known names an unknown one was meant to be, with its value where that says it; "" where that cannot
 * be told. A value that only code can say is left out.
 */
export function nearest(name: string, known: readonly string[]): string {
  const meant = nearestInCode(name, known);
  return meant.includes("=>") ? nameIn(meant) : meant;
}

/** Does the same for options that are written in code. */
export function nearestInCode(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase();
  for (const [theirs, ours] of synonyms) {
    if (theirs.toLowerCase() === lower && known.includes(nameIn(ours))) return ours;
  }
  let best = "";
  // Two letters make another word of a short one.
  let least = name.length > 4 ? 3 : 2;
  for (const candidate of known) {
    const distance = edits(lower, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The name that a hint begins with. */
function nameIn(ours: string): string {
  return /^[\w-]+/.exec(ours)![0];
}

/** Levenshtein's distance, with two letters in the wrong order as one edit, for names cut to 40 characters. */
function edits(a: string, b: string): number {
  const [from, to] = [a.slice(0, 40), b.slice(0, 40)];
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const swap = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, swap));
      const turned = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (i > 1 && j > 1 && turned) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
