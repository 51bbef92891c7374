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
  for (const [theirs, ours] of synonyms) {
    if (theirs === name && known.includes(nameIn(ours))) return ours;
  }
  let best = "";
  let least = 3;
  for (const candidate of known) {
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The name that a hint begins with. */
function nameIn(ours: string): string {
  return /^[\w-]+/.exec(ours)![0];
}

/** Levenshtein's distance, for names cut to 40 characters. */
function edits(a: string, b: string): number {
  const [from, to] = [a.slice(0, 40), b.slice(0, 40)];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const swap = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, swap));
    }
    row = next;
  }
  return row[to.length]!;
}
