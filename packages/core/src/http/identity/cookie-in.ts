/**
 * Returns the value of a cookie in the field `Cookie`, the first of several with one name, as it was sent (RFC 6265,
 * section 4.2.1). Quotes around a value are not part of it.
 */
export function cookieIn(field: string, name: string): string | undefined {
  for (let from = 0; from < field.length; ) {
    const found = field.indexOf(";", from);
    const end = found < 0 ? field.length : found;
    const sign = field.indexOf("=", from);
    if (sign >= 0 && sign < end && field.slice(from, sign).trim() === name) {
      const value = field.slice(sign + 1, end).trim();
      return value.length > 1 && value.startsWith('"') && value.endsWith('"')
        ? value.slice(1, -1)
        : value;
    }
    from = end + 1;
  }
  return undefined;
}
