import type { Limiter } from "../../limiter.ts";
import { parseAddress } from "../address/address.ts";
import type { Extractor } from "./extractor.ts";
import { keyPrefix } from "./namespace.ts";

/** The keys that a limiter's requests can have. */
interface RequestKeys {
  readonly extractors: readonly Extractor[];
  /** The bits of an IPv6 address that identify a client, for extractors without their own number. */
  readonly ipv6Prefix: number;
}

/**
 * Watches a limiter used by hand for keys of addresses that no request of its has: an address as it stands, and one
 * masked by another prefix. Returns the same limiter if one of its extractors may give any key.
 */
export function watchKeys(
  limiter: Limiter,
  { extractors, ipv6Prefix }: RequestKeys,
  warn: (code: string, message: string) => void,
): Limiter {
  if (extractors.some(mayBeBare)) return limiter;
  // Whoever is not identified is charged to an address with the limiter's own, and so are unverified API keys.
  const prefixes = new Set([ipv6Prefix, ...ownPrefixesOf(extractors)]);

  function watch(key: unknown): void {
    if (typeof key !== "string") return;
    if (parseAddress(key) !== undefined) {
      warn("SPILLWAY_BARE_ADDRESS", bareAddress);
      return;
    }
    const prefix = prefixIn(key);
    if (prefix === undefined || prefixes.has(prefix)) return;
    const used = [...prefixes].join(" or ");
    warn("SPILLWAY_OTHER_PREFIX", otherPrefix(prefix, used));
  }

  const watched = <Rest extends readonly unknown[], T>(
    use: (key: string, ...rest: Rest) => T,
  ): typeof use => {
    return (key, ...rest) => {
      watch(key);
      return use(key, ...rest);
    };
  };
  return {
    ...limiter,
    check: watched(limiter.check),
    checkOrThrow: watched(limiter.checkOrThrow),
    peek: watched(limiter.peek),
    reset: watched(limiter.reset),
  };
}

/** Whether an extractor's keys are used as they are: a function's, or one's without a namespace. */
function mayBeBare({ namespace, parts }: Extractor): boolean {
  if (namespace !== undefined) return namespace === "text";
  return parts === undefined || parts.some(mayBeBare);
}

/** Returns the IPv6 prefixes that extractors have instead of the limiter's. */
function ownPrefixesOf(extractors: readonly Extractor[]): number[] {
  return extractors.flatMap(({ ipv6Prefix, parts = [] }) => [
    ...(ipv6Prefix === undefined ? [] : [ipv6Prefix]),
    ...ownPrefixesOf(parts),
  ]);
}

const addresses = keyPrefix("ip");

/** Returns the prefix by which the IPv6 address of a key was masked; undefined for any other key. */
function prefixIn(key: string): number | undefined {
  if (!key.startsWith(addresses)) return undefined;
  const [address = "", prefix = "128"] = key.slice(addresses.length).split("/");
  return address.includes(":") ? Number(prefix) : undefined;
}

const bareAddress =
  "A limiter was used by hand with an address as it stands, which is no client's key: nobody is looked at, charged or reset. Use keyOf.ip(address), or the key of a decision.";

function otherPrefix(prefix: number, used: string): string {
  return `A limiter was used by hand with the key of an IPv6 address of which ${prefix} bits count, where ${used} do in its requests: nobody is looked at, charged or reset. Use keyOf.ip(address, { ipv6Prefix }), or the key of a decision.`;
}
