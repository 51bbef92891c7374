/** Returns a whole number as an Integer of RFC 9651: rounded down, within fifteen digits, NaN as 0. */
export function sfInteger(value: number): string {
  if (Number.isNaN(value)) return "0";
  return String(Math.floor(Math.min(maxInteger, Math.max(-maxInteger, value))));
}

/**
 * Creates a function that returns thousandths, 0 and more, as a number with that many decimals, 0 to 3: rounded up at
 * the last one, within fifteen digits in all, NaN as 0. With decimals it is a Decimal of RFC 9651, without an Integer.
 */
export function sfSeconds(digits: number): (thousandths: number) => string {
  // Each power is computed once: this is on every request's path.
  const step = 10 ** (3 - digits);
  const one = 10 ** digits;
  const units = (thousandths: number): number =>
    Math.min(maxInteger, Math.max(0, Math.ceil(thousandths / step) || 0));
  if (digits === 0) return (thousandths) => String(units(thousandths));
  return (thousandths) => {
    const all = units(thousandths);
    const whole = Math.floor(all / one);
    return `${whole}.${String(one + all - whole * one).slice(1)}`;
  };
}

/**
 * Returns a string as a String of RFC 9651: in quotes, with `"` and `\` escaped.
 *
 * Such a String holds printable ASCII only. Policy names are checked when a limiter is created; any other text is
 * percent-encoded as UTF-8, so that a header never fails a request and never contains a line break.
 */
export function sfString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${printable(text).replace(/["\\]/g, "\\$&")}"`;
}

/** Percent-encodes what is not printable ASCII. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/gu, percentEncode);
}

/** Percent-encodes what the name of a header cannot contain, and `%`, so that different strings stay different. */
export function tokenOf(text: string): string {
  return text.replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]+/gu, percentEncode);
}

/** Whether a string can be the name of a header, or part of one: a token of RFC 9110. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

const plain = /^[\x20!#-[\]-~]*$/;
/** The largest Integer of RFC 9651, section 3.3.1. */
export const maxInteger = 999_999_999_999_999;

function percentEncode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text)) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
