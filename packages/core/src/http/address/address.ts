import { readIpv4, writeIpv4 } from "./ipv4.ts";
import {
  type Ipv6Groups,
  mappedIpv4,
  maskIpv6,
  readIpv6,
  translatedIpv4,
  writeIpv6,
} from "./ipv6.ts";

/**
 * Parses the address in `text[from, to)` and returns its canonical form.
 *
 * White space around it, double quotes, brackets, a port and a zone are dropped. An IPv4-mapped IPv6 address becomes
 * the IPv4 address of its bits, whatever its notation; any other IPv6 address is written as in RFC 5952. Returns
 * `undefined` if there is no address; never throws.
 */
export function parseAddress(
  text: string | undefined,
  from: number = 0,
  to: number = text?.length ?? 0,
): string | undefined {
  if (typeof text !== "string" || to - from > maxText) return undefined;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  if (text.charCodeAt(from) === quote && to - from > 1 && text.charCodeAt(to - 1) === quote) {
    from++;
    to--;
  }
  // The usual address of a dual-stack socket, without parsing groups.
  const start = text.startsWith("::ffff:", from) ? from + 7 : from;
  const bits = readIpv4(text, start, to);
  // A slice would keep all of a long header alive for as long as its address is a key.
  if (bits >= 0) return text.length > maxText ? writeIpv4(bits) : text.slice(start, to);
  if (text.charCodeAt(from) === openBracket) return inBrackets(text, from + 1, to);
  const firstColon = indexOf(text, colon, from, to);
  if (firstColon < 0) return undefined;
  if (indexOf(text, colon, firstColon + 1, to) >= 0) return fromIpv6(text, from, to);
  const host = readIpv4(text, from, firstColon);
  return host >= 0 && isPort(text, firstColon + 1, to) ? writeIpv4(host) : undefined;
}

/**
 * Returns the network that counts as one client in CIDR form, such as `2001:db8:1:2::/64`: the first `ipv6Prefix` bits
 * of an IPv6 address, the first `ipv4Prefix` of an IPv4 one.
 *
 * Takes an address as returned by `parseAddress`, and prefixes of 32 to 128 and of 8 to 32 bits; all bits give the
 * plain address. An IPv4 client behind a translator (`64:ff9b::/96`, RFC 6052) is its IPv4 address: a masked network
 * would be everyone behind that translator.
 */
export function maskAddress(address: string, ipv6Prefix: number, ipv4Prefix: number = 32): string {
  if (!address.includes(":")) {
    return ipv4Prefix >= 32 ? address : networkOf(readIpv4(address, 0, address.length), ipv4Prefix);
  }
  if (!readIpv6(address, 0, address.length, scratch)) return address;
  const bits = translatedIpv4(scratch);
  if (bits >= 0) return ipv4Prefix >= 32 ? writeIpv4(bits) : networkOf(bits, ipv4Prefix);
  if (ipv6Prefix >= 128) return address;
  maskIpv6(scratch, ipv6Prefix);
  return `${writeIpv6(scratch)}/${ipv6Prefix}`;
}

// Quotes, brackets, eight groups with a dotted tail, a port, and room for a zone.
const maxText = 128;
const scratch: Ipv6Groups = new Uint16Array(8);
const quote = 0x22;
const percent = 0x25;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;

function networkOf(bits: number, prefix: number): string {
  return `${writeIpv4((bits & (-1 << (32 - prefix))) >>> 0)}/${prefix}`;
}

function inBrackets(text: string, from: number, to: number): string | undefined {
  const end = indexOf(text, closeBracket, from, to);
  if (end < 0) return undefined;
  const plain = end + 1 === to;
  if (!plain && (text.charCodeAt(end + 1) !== colon || !isPort(text, end + 2, to)))
    return undefined;
  return fromIpv6(text, from, end);
}

function fromIpv6(text: string, from: number, to: number): string | undefined {
  const zone = indexOf(text, percent, from, to);
  if (zone >= 0 && !isZone(text, zone + 1, to)) return undefined;
  if (!readIpv6(text, from, zone < 0 ? to : zone, scratch)) return undefined;
  const bits = mappedIpv4(scratch);
  return bits >= 0 ? writeIpv4(bits) : writeIpv6(scratch);
}

function isPort(text: string, from: number, to: number): boolean {
  if (to === from || to - from > 5) return false;
  let port = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return false;
    port = port * 10 + digit;
  }
  return port <= 65_535;
}

function isZone(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return to > from;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

// Not String.prototype.indexOf: an unsuccessful search would run to the end of the header.
function indexOf(text: string, code: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === code) return at;
  return -1;
}
