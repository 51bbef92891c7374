import { nearest } from "./nearest.ts";

/** Returns an error message function: what was expected, and which of the names an unknown string probably means. */
export function orMeant(
  expected: string,
  names: readonly string[],
): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => expected + meantHint(input, names);
}

/** Returns a hint at the name that an unknown string probably means; "" when unclear. */
export function meantHint(value: unknown, names: readonly string[]): string {
  const meant = typeof value === "string" ? meantBy(value, names) : "";
  return meant === "" ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
}

/** Requires four characters for anything but a different case: two edits turn a word of three into any other. */
function meantBy(text: string, names: readonly string[]): string {
  const sameLetters = names.find((name) => name.toLowerCase() === text.toLowerCase());
  if (sameLetters !== undefined || text.length < 4) return sameLetters ?? "";
  const near = nearest(text, names);
  if (near !== "") return near;
  const lower = text.toLowerCase();
  const alike = names.filter((name) => name.startsWith(lower) || lower.includes(name));
  return alike.length === 1 ? alike[0]! : "";
}
