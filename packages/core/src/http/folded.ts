const known = new Map<string, string>();

/**
 * Folds the name of a field to lower case. A name that is folded anew costs more than to find it, and is no name that
 * an engine knows; those that are asked for are few, and no client's.
 */
export function folded(name: string): string {
  let lower = known.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    if (known.size >= 1000) known.clear();
    known.set(name, lower);
  }
  return lower;
}
