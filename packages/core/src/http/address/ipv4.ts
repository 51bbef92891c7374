/**
 * Parses `text[from, to)` as four decimal parts without leading zeros.
 *
 * Returns the 32 bits as a whole number, or -1 for anything else.
 */
export function readIpv4(text: string, from: number, to: number): number {
  if (to - from < 7 || to - from > 15) return -1;
  let bits = 0;
  let part = -1;
  let dots = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2e) {
      if (part < 0 || dots === 3) return -1;
      bits = bits * 256 + part;
      part = -1;
      dots++;
      continue;
    }
    const digit = code - 0x30;
    if (digit < 0 || digit > 9 || part === 0) return -1;
    part = part < 0 ? digit : part * 10 + digit;
    if (part > 255) return -1;
  }
  return dots === 3 && part >= 0 ? bits * 256 + part : -1;
}

/** Returns 32 bits in dotted decimal notation. */
export function writeIpv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}
