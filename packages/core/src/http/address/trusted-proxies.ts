import { type Cidr, holdsIpv4, holdsIpv6, parseCidr } from "./cidr.ts";
import { readIpv4 } from "./ipv4.ts";
import { type Ipv6Groups, readIpv6 } from "./ipv6.ts";

/**
 * Whom a server believes about where a request came from: nobody, its own surroundings (`"auto"`), that many proxies
 * whoever they are, or the proxies in these networks.
 */
export type TrustProxy = false | "auto" | number | readonly string[];

/** The hops of a request that are trusted proxies. */
export interface TrustedProxies {
  /** How many hops are trusted whoever they are; `undefined` if trust depends on addresses. */
  readonly hops: number | undefined;
  /**
   * Whether the hop at `address`, counted from the server (the peer is hop 0), is trusted.
   *
   * Takes an address as returned by `parseAddress`, or `undefined` for a peer without one.
   */
  trusts(address: string | undefined, hop: number): boolean;
}

/**
 * Compiles the `trustProxy` option.
 *
 * `"auto"` is loopback, link-local and private networks (RFC 1918 and RFC 4193). 100.64.0.0/10 is not included:
 * carriers give those addresses to customers (RFC 6598), who could then write their own address; if a platform's
 * proxies are there, list it. A list takes CIDRs, addresses and the names `loopback`, `linklocal` and `uniquelocal`.
 *
 * Throws a `RangeError` with the message of `cidrProblem` or `hopsProblem` for other values.
 */
export function trustedProxies(trustProxy: TrustProxy): TrustedProxies {
  if (trustProxy === false) return { hops: undefined, trusts: () => false };
  if (typeof trustProxy === "number") return byCount(trustProxy);
  return byAddress(trustProxy === "auto" ? [...names.keys()] : trustProxy);
}

/** Returns what is wrong with an entry of a `trustProxy` list; `undefined` if it is valid. */
export function cidrProblem(entry: string): string | undefined {
  const cidr = names.has(entry.trim()) ? undefined : parseCidr(entry);
  return typeof cidr === "string" ? cidr : undefined;
}

/** Returns what is wrong with a number of hops; `undefined` if it is valid. */
export function hopsProblem(hops: number): string | undefined {
  if (Number.isSafeInteger(hops) && hops >= 1) return undefined;
  return `expected a whole number of hops, 1 or more, received ${String(hops)}`;
}

// A Map, since an entry may be the name of a property of Object.prototype.
const names: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

function byCount(hops: number): TrustedProxies {
  const problem = hopsProblem(hops);
  if (problem !== undefined) throw new RangeError(problem);
  return { hops, trusts: (_address, hop) => hop < hops };
}

function byAddress(entries: readonly string[]): TrustedProxies {
  const cidrs = entries.flatMap((entry) => names.get(entry.trim()) ?? entry).map(compile);
  const groups: Ipv6Groups = new Uint16Array(8);
  return {
    hops: undefined,
    trusts(address) {
      if (address === undefined) return false;
      const bits = readIpv4(address, 0, address.length);
      if (bits >= 0) return cidrs.some((cidr) => holdsIpv4(cidr, bits));
      if (!readIpv6(address, 0, address.length, groups)) return false;
      return cidrs.some((cidr) => holdsIpv6(cidr, groups));
    },
  };
}

function compile(entry: string): Cidr {
  const cidr = parseCidr(entry);
  if (typeof cidr === "string") throw new RangeError(cidr);
  return cidr;
}
