import { parseAddress } from "./address.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./trusted-proxies.ts";

/** A field in which a proxy sends only the client's address, such as `X-Real-IP` or `CF-Connecting-IP`. */
export interface ProxyHeader {
  /** The name of the field. The proxy must overwrite it in every request, whatever the client sent. */
  readonly header: string;
  /** Who may set it: private peers by default, a list of networks, or `1` for any peer. */
  readonly from?: "auto" | 1 | readonly string[] | undefined;
}

/**
 * Compiles one to a function that finds the client's canonical address in the fields of a request from a peer. `missed`
 * is called with the field's value if a trusted peer sends no address in it.
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
    // Node joins several lines into one string, which is no address: then only the peer is certain.
    const found = typeof value === "string" ? parseAddress(value) : undefined;
    if (found === undefined) missed(value, headers);
    return found ?? first;
  };
}
