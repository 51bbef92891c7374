import { parseAddress } from "./address.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./trusted-proxies.ts";

/** A header field in which a proxy tells the client's address alone, such as `X-Real-IP` or `CF-Connecting-IP`. */
export interface ProxyHeader {
  /** The proxy must write it in every request, whatever the client wrote there. */
  readonly header: string;
  /** Whose word counts: private peers by default, a list of networks, or `1`, whoever is the peer. */
  readonly from?: "auto" | 1 | readonly string[] | undefined;
}

/**
 * Compiles one: finds the client's canonical address in the fields of a request of this peer. `missed` is called where a
 * peer whose word counts tells none there, with what it wrote.
 */
export function proxyHeader(
  { header, from = "auto" }: ProxyHeader,
  missed: (value: unknown, headers: Readonly<Record<string, unknown>>) => void,
): (headers: Readonly<Record<string, unknown>>, peer: string | undefined) => string | undefined {
  const field = header.toLowerCase();
  const trust: TrustedProxies = trustedProxies(from satisfies TrustProxy);
  return (headers, peer) => {
    const first = parseAddress(peer);
    if (!trust.trusts(first, 0)) return first;
    const value = headers[field];
    // Of several lines Node makes one text, which is no address: then the peer is all that is sure.
    const found = typeof value === "string" ? parseAddress(value) : undefined;
    if (found === undefined) missed(value, headers);
    return found ?? first;
  };
}
