import { parseAddress } from "./address.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** What a request says about where it came from. */
export interface Origin {
  /** The address of the socket's other end, as the machine tells it; `undefined` if there is none. */
  readonly peer: string | undefined;
  /** The X-Forwarded-For header: its lines, or one text that joins them. */
  readonly forwardedFor: string | readonly string[] | undefined;
  readonly trust: TrustedProxies;
}

/**
 * Finds the canonical address of the client, or `undefined` where nothing trustworthy names one.
 *
 * Walks from the peer through X-Forwarded-For from its right end, past every trusted hop, to the
 * first one that is not: that one is the client. Text that is no address ends the walk at the last
 * trusted hop, and so does an empty entry, by which a proxy says that it does not know. With a
 * number of hops, a header that is too short gives the peer, since its first entry is the client's
 * own words. By address, a peer without one is not trusted: it may be a client that already left.
 *
 * No other header is read, `Forwarded` (RFC 7239) included: a proxy that writes one of them passes
 * the other on as the client sent it, so whoever reads both reads the client's words.
 */
export function clientAddress({ peer, forwardedFor, trust }: Origin): string | undefined {
  const first = parseAddress(peer);
  if (forwardedFor === undefined || !trust.trusts(first, 0)) return first;
  return typeof forwardedFor === "string"
    ? walk([forwardedFor], first, trust)
    : walk(forwardedFor, first, trust);
}

// By address, a chain longer than any real one is a header written to be expensive.
const maxHops = 32;

function walk(
  lines: readonly string[],
  peer: string | undefined,
  trust: TrustedProxies,
): string | undefined {
  let address = peer;
  let hop = 0;
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]!;
    let end = line.length;
    while (end >= 0) {
      // lastIndexOf takes a negative start for 0.
      const comma = end === 0 ? -1 : line.lastIndexOf(",", end - 1);
      const found = parseAddress(line, comma + 1, end);
      if (found === undefined) return address;
      address = found;
      hop++;
      if (!trust.trusts(address, hop)) return address;
      if (trust.hops === undefined && hop === maxHops) return address;
      end = comma;
    }
  }
  return trust.hops === undefined ? address : peer;
}
