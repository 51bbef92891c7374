import { parseAddress } from "./address.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** What a request reveals about where it came from. */
export interface Origin {
  /** The address of the socket's other end, according to the machine; `undefined` if there is none. */
  readonly peer: string | undefined;
  /** The X-Forwarded-For field: its lines, or one string that joins them. */
  readonly forwardedFor: string | readonly string[] | undefined;
  readonly trust: TrustedProxies;
}

/**
 * Returns the canonical address of the client, or `undefined` if nothing trustworthy names one.
 *
 * Walks from the peer through X-Forwarded-For from its right end, past every trusted hop, to the first untrusted one,
 * which is the client. An invalid address ends the walk at the last trusted hop, and so does an empty entry, which a
 * proxy writes if it does not know. With a number of hops, a field that is too short gives the peer, since its first
 * entry was written by the client. With networks, a peer without an address is not trusted: it may be a client that has
 * already left.
 *
 * No other field is read, not even `Forwarded` (RFC 7239): a proxy that writes one of them passes the other on as the
 * client sent it, so reading both would mean trusting the client.
 */
export function clientAddress({ peer, forwardedFor, trust }: Origin): string | undefined {
  const first = parseAddress(peer);
  if (forwardedFor === undefined || !trust.trusts(first, 0)) return first;
  return typeof forwardedFor === "string"
    ? walk([forwardedFor], first, trust)
    : walk(forwardedFor, first, trust);
}

// With networks, a chain longer than any real one is a field written to be expensive.
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
      // lastIndexOf treats a negative start as 0.
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
