import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { parseAddress } from "./address/address.ts";
import { clientAddress } from "./address/client-address.ts";
import { type ProxyHeader, proxyHeader } from "./address/proxy-header.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./address/trusted-proxies.ts";
import type { Framework } from "./framework.ts";

/** The option `trustProxy`. */
export type TrustProxyOption = TrustProxy | ProxyHeader | "framework";

/** The parts of a request that its client's address is found by. */
export interface AddressedRequest {
  readonly req: unknown;
  readonly raw: IncomingMessage;
  headers(): IncomingHttpHeaders;
}

type Warn = (code: string, message: string) => void;

/**
 * Returns a function that finds the canonical address of clients by the option `trustProxy`; warns of what looks
 * unsafe.
 */
export function requestAddress(
  framework: Framework<unknown>,
  trustProxy: TrustProxyOption,
  warn: Warn,
): (request: AddressedRequest) => string | undefined {
  const find = isProxyHeader(trustProxy)
    ? byHeader(trustProxy, warn)
    : byTrust(framework, trustProxy, warn);
  return (request) => {
    const found = find(request);
    if (found === undefined) warn("SPILLWAY_NO_ADDRESS", noAddress);
    return found;
  };
}

function isProxyHeader(trustProxy: TrustProxyOption): trustProxy is ProxyHeader {
  return typeof trustProxy === "object" && !Array.isArray(trustProxy);
}

function byHeader(
  option: ProxyHeader,
  warn: Warn,
): (request: AddressedRequest) => string | undefined {
  let told = false;
  const find = proxyHeader(option, (value, headers) => {
    // Without any such field it may be a neighbour's own request, such as a health check.
    const proxied = value ?? headers["x-forwarded-for"] ?? unreadIn(headers);
    if (told || proxied === undefined) return;
    told = true;
    warn("SPILLWAY_FORWARDED_IGNORED", headerMissed(option.header));
  });
  return (request) => find(request.headers(), peerOf(request.raw));
}

function byTrust(
  framework: Framework<unknown>,
  trustProxy: TrustProxy | "framework",
  warn: Warn,
): (request: AddressedRequest) => string | undefined {
  const trust = trustProxy === "framework" ? undefined : trustedProxies(trustProxy);
  const listed = typeof trustProxy === "object";
  let doubted = false;
  let doubtsHeaders = trustProxy === "auto" || listed;
  let unreadLooks = doubtsHeaders ? maxUnreadLooks : 0;

  function forwarded(
    headers: IncomingHttpHeaders,
    peer: string | undefined,
    trusted: TrustedProxies,
  ): string | undefined {
    const forwardedFor = headers["x-forwarded-for"];
    if (forwardedFor !== undefined) doubt(peer, trusted);
    else if (unreadLooks > 0) lookForUnread(headers, peer, trusted);
    return clientAddress({ peer, forwardedFor, trust: trusted });
  }

  function doubt(peer: string | undefined, trusted: TrustedProxies): void {
    if (!doubtsHeaders || peer === undefined) return;
    const hop = parseAddress(peer);
    // Strangers may send anything to a server that lists its proxies; a neighbour is a proxy that it forgot.
    if (trusted.trusts(hop, 0) || (listed && !nearby.trusts(hop, 0))) return;
    doubtsHeaders = false;
    warn("SPILLWAY_FORWARDED_IGNORED", listed ? proxyForgotten : forwardedIgnored);
  }

  function lookForUnread(
    headers: IncomingHttpHeaders,
    peer: string | undefined,
    trusted: TrustedProxies,
  ): void {
    unreadLooks--;
    const unread = unreadIn(headers);
    if (unread === undefined || !trusted.trusts(parseAddress(peer), 0)) return;
    unreadLooks = 0;
    warn("SPILLWAY_FORWARDED_IGNORED", fieldUnread(unread));
  }

  return (request) => {
    const { req } = request;
    const peer = peerOf(request.raw);
    const own = trustProxy === "auto" ? framework.trust(req) : trust ? undefined : "own";
    if (!doubted && own !== undefined) {
      doubted = true;
      const found = framework.doubts(req);
      if (found) warn(found.code, found.message);
    }
    if (own === "own") return parseAddress(framework.address(req)) ?? parseAddress(peer);
    return forwarded(request.headers(), peer, own === undefined ? trust! : hopsOf(own));
  };
}

const nearby = trustedProxies("auto");
const hops = new Map<number, TrustedProxies>();

/** Frameworks take any number, and trust the hops below it. */
function hopsOf(below: number): TrustedProxies {
  const trusted =
    hops.get(below) ?? trustedProxies(Math.min(Math.ceil(below), Number.MAX_SAFE_INTEGER));
  hops.set(below, trusted);
  return trusted;
}

function peerOf(raw: IncomingMessage): string | undefined {
  return (raw.socket as { remoteAddress?: string | undefined } | null | undefined)?.remoteAddress;
}

/** How many requests without X-Forwarded-For are checked for a field that is not read, to warn of it. */
const maxUnreadLooks = 10_000;

/** Fields in which proxies send an address, and that are not read unless they are configured. */
const unreadFields = [
  "X-Real-IP",
  "CF-Connecting-IP",
  "True-Client-IP",
  "Fly-Client-IP",
  "X-Client-IP",
  "Forwarded",
];
const unreadNames = unreadFields.map((name) => name.toLowerCase());

function headerMissed(header: string): string {
  return `A request of a trusted peer told no address in ${header}, which trustProxy names: it counts as the peer's own, with all others of that kind. Have the proxy write one address there, in every request.`;
}

/** Returns the first of them in a request. */
function unreadIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  for (let i = 0; i < unreadNames.length; i++) {
    if (headers[unreadNames[i]!] !== undefined) return unreadFields[i];
  }
  return undefined;
}

function fieldUnread(field: string): string {
  const instead = field === "Forwarded" ? "" : `, or say trustProxy: { header: "${field}" }`;
  return `${field} was ignored, and there was no X-Forwarded-For, so that all behind that proxy share one bucket. Have the proxy write X-Forwarded-For${instead}.`;
}

const noAddress =
  "A request came without an address (a Unix socket, or a client that had left); all such requests share one bucket. Set key or trustProxy to tell them apart.";
const forwardedIgnored =
  "X-Forwarded-For was ignored, since it came from a peer that is not trusted. Behind a proxy with a public address, set trustProxy to that proxy's CIDR.";
const proxyForgotten =
  'X-Forwarded-For was ignored, since it came from a private address that is not on the list trustProxy, so that all behind it share one bucket. A list stands in place of the default: add "loopback" or "uniquelocal" for a proxy close by.';
