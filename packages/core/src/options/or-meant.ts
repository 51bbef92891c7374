import { nearest } from "./nearest.ts";

/** Makes what says what was expected, and which of the names a string that is none of them was meant to be. */
export function orMeant(
  expected: string,
  names: readonly string[],
): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => expected + meantHint(input, names);
}

/** Says which of the names a string that is none of them was meant to be; "" where that cannot be told. */
export function meantHint(value: unknown, names: readonly string[]): string {
  const meant = typeof value === "string" ? meantBy(value, names) : "";
  return meant === "" ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
}

/** To change two letters of three makes another word of any. */
function meantBy(text: string, names: readonly string[]): string {
  const sameLetters = names.find((name) => name.toLowerCase() === text.toLowerCase());
  if (sameLetters !== undefined || text.length < 4) return sameLetters ?? "";
  const near = nearest(text, names);
  if (near !== "") return near;
  const lower = text.toLowerCase();
  const alike = names.filter((name) => name.startsWith(lower) || lower.includes(name));
  return alike.length === 1 ? alike[0]! : "";
}
