/**
 * Appends names to a header that is a list of names, such as Access-Control-Expose-Headers.
 *
 * Existing names stay first and as they were written; a name that is there in any case is not added again. `*` does not
 * count as the names: with credentials it is only a name itself, and without them it means the same with names after
 * it.
 */
export function appendTokens(
  existing: string | number | readonly string[] | undefined,
  names: readonly string[],
): string {
  const tokens = String(existing ?? "")
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "");
  const seen = new Set(tokens.map((token) => token.toLowerCase()));
  for (const name of names) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) continue;
    seen.add(folded);
    tokens.push(name);
  }
  return tokens.join(", ");
}
