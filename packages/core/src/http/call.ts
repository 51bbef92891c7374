import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { maskAddress, parseAddress } from "./address.ts";
import type { Carried } from "./carried.ts";
import { clientAddress } from "./client-address.ts";
import type { Framework } from "./framework.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./trusted-proxies.ts";

/** A request on its way through a guard. */
export interface Call {
  readonly req: unknown;
  readonly raw: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly res: ServerResponse | undefined;
  readonly framework: Framework<unknown>;
  readonly ipv6Prefix: number;
  /** Undefined until it is asked for. */
  carried: Carried | undefined;
  headers(): IncomingHttpHeaders;
  /** The client's canonical address; undefined where there is none. */
  address(): string | undefined;
}

export interface CallOptions {
  readonly trustProxy: TrustProxy | "framework";
  readonly ipv6Prefix: number;
}

type Warn = (code: string, message: string) => void;

/** Makes calls of requests, for one guard; warns of what looks unsafe. */
export function callsOf<Req>(
  framework: Framework<Req>,
  { trustProxy, ipv6Prefix }: CallOptions,
  warn: Warn,
): (req: Req, res?: ServerResponse) => Call {
  const port = framework as Framework<unknown>;
  const trust = trustProxy === "framework" ? undefined : trustedProxies(trustProxy);
  let doubted = false;
  let doubtsHeaders = trustProxy === "auto";

  function addressOf({ req, raw, headers }: Call): string | undefined {
    const peer = peerOf(raw);
    const own = trustProxy === "auto" ? port.trust(req) : trust ? undefined : "own";
    if (!doubted && own !== undefined) {
      doubted = true;
      const doubt = port.doubts(req);
      if (doubt) warn(doubt.code, doubt.message);
    }
    const found =
      own === "own"
        ? (parseAddress(port.address(req)) ?? parseAddress(peer))
        : byHeader(headers(), peer, own === undefined ? trust! : hopsOf(own));
    if (found === undefined) warn("SPILLWAY_NO_ADDRESS", noAddress);
    return found;
  }

  function byHeader(
    headers: IncomingHttpHeaders,
    peer: string | undefined,
    trusted: TrustedProxies,
  ): string | undefined {
    const forwardedFor = headers["x-forwarded-for"];
    const address = clientAddress({ peer, forwardedFor, trust: trusted });
    if (
      doubtsHeaders &&
      forwardedFor !== undefined &&
      peer !== undefined &&
      !trusted.trusts(parseAddress(peer), 0)
    ) {
      doubtsHeaders = false;
      warn("SPILLWAY_FORWARDED_IGNORED", forwardedIgnored);
    }
    return address;
  }

  return (req, res = framework.response(req)) => {
    const raw = framework.raw(req);
    let headers: IncomingHttpHeaders | undefined;
    let address: string | undefined;
    let known = false;
    const call: Call = {
      req,
      raw,
      res,
      framework: port,
      ipv6Prefix,
      carried: undefined,
      headers() {
        headers ??= raw.headers;
        return headers;
      },
      address() {
        if (!known) {
          known = true;
          address = addressOf(call);
        }
        return address;
      },
    };
    return call;
  };
}

/** The key of a client's address; every client without one shares a reserved key. */
export function addressKey(
  address: string | undefined,
  ipv6Prefix: number,
  ipv4Prefix?: number,
): string {
  return address === undefined ? "ip:none" : `ip:${maskAddress(address, ipv6Prefix, ipv4Prefix)}`;
}

const hops = new Map<number, TrustedProxies>();

function hopsOf(n: number): TrustedProxies {
  const trusted = hops.get(n) ?? trustedProxies(n);
  hops.set(n, trusted);
  return trusted;
}

function peerOf(raw: IncomingMessage): string | undefined {
  return (raw.socket as { remoteAddress?: string | undefined } | null | undefined)?.remoteAddress;
}

const noAddress =
  "A request came without an address (a Unix socket, or a client that had left); all such requests share one bucket. Set key or trustProxy to tell them apart.";
const forwardedIgnored =
  "X-Forwarded-For was ignored, since it came from a peer that is not trusted. Behind a proxy with a public address, set trustProxy to that proxy's CIDR.";
