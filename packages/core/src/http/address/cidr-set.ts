import type { Cidr } from "./cidr.ts";
import { readIpv4 } from "./ipv4.ts";
import { type Ipv6Groups, readIpv6, translatedIpv4 } from "./ipv6.ts";

/** Many networks; finding an address takes hardly longer the more there are. */
export interface CidrSet {
  /**
   * Returns the least number of the networks that hold an address, or -1. A client behind NAT64 is its IPv4 address
   * too.
   */
  find(address: string): number;
}

/** Creates a set of networks, each with a whole number from 0 for `find` to return. */
export function cidrSet(entries: readonly (readonly [cidr: Cidr, id: number])[]): CidrSet {
  const ipv4 = nested<number>(
    entries.flatMap(([cidr, id]) =>
      cidr.family === 4
        ? [{ first: cidr.network, last: (cidr.network | ~cidr.mask) >>> 0, id }]
        : [],
    ),
    (a, b) => a - b,
  );
  const ipv6 = nested<Ipv6Groups>(
    entries.flatMap(([cidr, id]) =>
      cidr.family === 6
        ? [{ first: cidr.network, last: lastOf(cidr.network, cidr.prefix), id }]
        : [],
    ),
    compareGroups,
  );
  return {
    find(address) {
      const bits = readIpv4(address, 0, address.length);
      if (bits >= 0) return ipv4(bits);
      if (!readIpv6(address, 0, address.length, scratch)) return -1;
      const inside = translatedIpv4(scratch);
      const found = ipv6(scratch);
      const translated = inside < 0 ? -1 : ipv4(inside);
      return found < 0 || (translated >= 0 && translated < found) ? translated : found;
    },
  };
}

const scratch: Ipv6Groups = new Uint16Array(8);

/** The addresses of one network. */
interface Range<T> {
  readonly first: T;
  readonly last: T;
  readonly id: number;
}

/**
 * Two networks are disjoint or nested: each network that holds an address also holds the beginning of the last network
 * that begins before it, and is found by going outwards from there.
 */
function nested<T>(
  ranges: readonly Range<T>[],
  compare: (a: T, b: T) => number,
): (address: T) => number {
  const sorted = [...ranges].sort((a, b) => compare(a.first, b.first) || compare(b.last, a.last));
  const outer: number[] = [];
  sorted.forEach(({ first }, i) => {
    let around = i - 1;
    while (around >= 0 && compare(sorted[around]!.last, first) < 0) around = outer[around]!;
    outer.push(around);
  });
  return (address) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(sorted[middle]!.first, address) <= 0) low = middle + 1;
      else high = middle;
    }
    let least = -1;
    for (let i = low - 1; i >= 0; i = outer[i]!) {
      const { last, id } = sorted[i]!;
      if (compare(address, last) <= 0 && (least < 0 || id < least)) least = id;
    }
    return least;
  };
}

function lastOf(network: Ipv6Groups, prefix: number): Ipv6Groups {
  return network.map((group, at) => {
    const kept = Math.min(16, Math.max(0, prefix - at * 16));
    return group | (0xffff >>> kept);
  });
}

function compareGroups(a: Ipv6Groups, b: Ipv6Groups): number {
  for (let at = 0; at < 8; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return 0;
}
