/** A path pattern of whole segments: a literal as it was written, or null for any text. */
export interface Pattern {
  readonly segments: readonly (string | null)[];
  /** Whether anything may follow, or nothing. */
  readonly rest: boolean;
}

/**
 * Parses `/users/:id` or `/files/*`; returns what was expected if it is invalid. A trailing slash does not matter.
 * Characters with a meaning in other routers' patterns are refused; percent-encoded, they stand for themselves.
 */
export function parsePattern(text: string): Pattern | string {
  if (!text.startsWith("/")) return `${expected} (it begins with "/")`;
  const parts = text.slice(1).split("/");
  if (parts.at(-1) === "") parts.pop();
  const rest = parts.at(-1) === "*";
  if (rest) parts.pop();
  const wrong = parts.find((part) => !parameter.test(part) && !literal.test(part));
  if (wrong !== undefined) return `${expected} (not ${JSON.stringify(wrong.slice(0, 40))})`;
  return { segments: parts.map((part) => (part.startsWith(":") ? null : part)), rest };
}

const expected =
  'a path such as "/users/:id" or "/files/*", each segment a literal, ":name" or, at the end, "*"';
const parameter = /^:[A-Za-z_][0-9A-Za-z_]*$/;
/** What RFC 3986 allows in a segment, and letters of any script, except what some router would not take literally. */
const literal = /^(?:[-0-9A-Za-z._~$&',;=@%]|[^\0-\x9f\s])+$/;
