/** Writes a whole number as an Integer of RFC 9651: rounded down, within fifteen digits, NaN as 0. */
export function sfInteger(value: number): string {
  if (Number.isNaN(value)) return "0";
  return String(Math.floor(Math.min(largest, Math.max(-largest, value))));
}

/**
 * Writes text as a String of RFC 9651: in quotes, with `"` and `\` escaped.
 *
 * Such a String holds printable ASCII only. Policy names are checked when a limiter is made; where
 * other text comes this far, it is percent-encoded as UTF-8, so that a header never fails a request
 * and never holds a line break.
 */
export function sfString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const printable = text.replace(/[^\x20-\x7e]+/gu, percentEncode);
  return `"${printable.replace(/["\\]/g, "\\$&")}"`;
}

const plain = /^[\x20!#-[\]-~]*$/;
const largest = 999_999_999_999_999;

function percentEncode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text)) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
