/**
 * Splits a path at its slashes, as sent, and decodes each segment once: an encoded slash does not split, and malformed
 * encoding stays as it is. Drops empty segments, unless they are to be kept. Returns at most `most` segments.
 */
export function pathSegments(path: string, most: number, keepEmpty: boolean): string[] {
  const segments: string[] = [];
  const encoded = path.includes("%");
  let from = path.charCodeAt(0) === slash ? 1 : 0;
  while (from <= path.length && segments.length < most) {
    const found = path.indexOf("/", from);
    const to = found < 0 ? path.length : found;
    if (to > from || keepEmpty) {
      const text = path.slice(from, to);
      segments.push(encoded ? decoded(text) : text);
    }
    from = to + 1;
  }
  return segments;
}

/** Returns one string for all that some router, whatever its way of folding, takes for equal. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return beyondAscii.test(lower) ? lower.toUpperCase().toLowerCase() : lower;
}

/** Decodes percent-encoding; what is malformed stays as it is. */
export function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const slash = 0x2f;
const beyondAscii = /[^\0-\x7f]/;
