import { readIpv4 } from "./ipv4.ts";
import { type Ipv6Groups, mappedIpv4, maskIpv6, readIpv6 } from "./ipv6.ts";

/** A network: the bits that all of its addresses begin with. */
export type Cidr =
  | { readonly family: 4; readonly network: number; readonly mask: number }
  | { readonly family: 6; readonly network: Ipv6Groups; readonly prefix: number };

/**
 * Parses `10.0.0.0/8`, `fc00::/7` or a plain address; returns the description of a problem if it is none of these.
 *
 * Drops white space around it, and the bits after the prefix. A network of IPv4-mapped addresses is the IPv4 network of
 * its bits (`::ffff:10.0.0.0/104` is `10.0.0.0/8`); with a prefix shorter than 96 it would hold every IPv4 address, and
 * is refused. So is a zone: traffic does not carry it, so the entry would trust more than it says.
 */
export function parseCidr(text: string): Cidr | string {
  const entry = text.slice(0, maxText).trim();
  const slash = entry.indexOf("/");
  const end = slash < 0 ? entry.length : slash;
  const prefix = slash < 0 ? undefined : readPrefix(entry.slice(slash + 1));
  if (text.length > maxText || prefix === -1) return problem(text, expected);
  const bits = readIpv4(entry, 0, end);
  if (bits >= 0) return fromIpv4(bits, prefix ?? 32) ?? problem(text, "a prefix of 0 to 32 bits");
  if (entry.includes("%")) return problem(text, "an address without a zone");
  const network: Ipv6Groups = new Uint16Array(8);
  if (!readIpv6(entry, 0, end, network)) return problem(text, expected);
  return fromIpv6(network, prefix ?? 128, text);
}

/** Whether the 32 bits of an IPv4 address are in a network. */
export function holdsIpv4(cidr: Cidr, bits: number): boolean {
  return cidr.family === 4 && (bits & cidr.mask) >>> 0 === cidr.network;
}

/** Whether an IPv6 address is in a network. */
export function holdsIpv6(cidr: Cidr, groups: Ipv6Groups): boolean {
  if (cidr.family !== 6) return false;
  for (let at = 0, left = cidr.prefix; left > 0; at++, left -= 16) {
    const differing = groups[at]! ^ cidr.network[at]!;
    if (differing >>> Math.max(0, 16 - left) !== 0) return false;
  }
  return true;
}

const maxText = 64;
const expected = "an address, a CIDR such as 10.0.0.0/8 or a name such as loopback";

function fromIpv4(bits: number, prefix: number): Cidr | undefined {
  if (prefix > 32) return undefined;
  // A shift by 32 is a shift by 0 in JavaScript.
  const mask = prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
  return { family: 4, network: (bits & mask) >>> 0, mask };
}

function fromIpv6(network: Ipv6Groups, prefix: number, text: string): Cidr | string {
  if (prefix > 128) return problem(text, "a prefix of 0 to 128 bits");
  const bits = mappedIpv4(network);
  if (bits < 0) {
    maskIpv6(network, prefix);
    return { family: 6, network, prefix };
  }
  const ipv4 = prefix < 96 ? undefined : fromIpv4(bits, prefix - 96);
  return ipv4 ?? problem(text, "a prefix of 96 to 128 bits after an IPv4-mapped address");
}

function readPrefix(text: string): number {
  return /^(?:0|[1-9][0-9]{0,2})$/.test(text) ? Number(text) : -1;
}

function problem(text: string, wanted: string): string {
  const received = text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  return `expected ${wanted}, received ${JSON.stringify(received)}`;
}
