import { appendTokens } from "./token-list.ts";

/** Whether others also add values to a field, by its lower-case name. */
export function isAppended(name: string): boolean {
  return name === "set-cookie" || name === "vary" || name === "access-control-expose-headers";
}

/** Appends to the value of such a field what it lacks. Each cookie is a field of its own (RFC 6265, section 3). */
export function appendedTo(
  existing: string | number | readonly string[] | undefined,
  name: string,
  value: string,
): string | string[] {
  if (name.toLowerCase() !== "set-cookie") return appendTokens(existing, value.split(/\s*,\s*/));
  const cookies = existing === undefined ? [] : [existing].flat().map(String);
  return cookies.includes(value) ? cookies : [...cookies, value];
}
