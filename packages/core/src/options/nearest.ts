import { synonyms } from "./synonyms.ts";

/**
 * Returns the known name that an unknown one means, with its value if that matters; "" when unclear. Omits a value that
 * only code can express.
 */
export function nearest(name: string, known: readonly string[]): string {
  const meant = nearestInCode(name, known);
  return meant.includes("=>") ? nameIn(meant) : meant;
}

/** Does the same for options written in code. */
export function nearestInCode(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase();
  for (const [theirs, ours] of synonyms) {
    if (theirs.toLowerCase() === lower && known.includes(nameIn(ours))) return ours;
  }
  let best = "";
  // Two edits turn a short word into another one.
  let least = name.length > 4 ? 3 : 2;
  for (const candidate of known) {
    const distance = edits(lower, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Returns the option name that starts a hint. */
function nameIn(ours: string): string {
  return /^[\w-]+/.exec(ours)![0];
}

/** Returns the Levenshtein distance, counting a transposition as one edit, of names cut to 40 characters. */
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
