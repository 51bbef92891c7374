import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { maskAddress, parseAddress } from "./address/address.ts";
import { clientAddress } from "./address/client-address.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./address/trusted-proxies.ts";
import { type Carried, carriedBy } from "./carried.ts";
import type { Framework } from "./framework.ts";
import { keyPrefix } from "./identity/namespace.ts";

/** A request on its way through a guard. */
export interface Call {
  readonly req: unknown;
  readonly raw: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly res: ServerResponse | undefined;
  readonly framework: Framework<unknown>;
  readonly ipv6Prefix: number;
  /** What the request carries from one limiter to the next. */
  carried(): Carried;
  headers(): IncomingHttpHeaders;
  /** The client's canonical address; undefined where there is none. */
  address(): string | undefined;
  /** Warns once per code. */
  warn(code: string, message: string): void;
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
  let doubtsHeaders = trustProxy === "auto" || typeof trustProxy === "object";

  function addressOf(call: Call): string | undefined {
    const { req, raw } = call;
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
        : byHeader(call.headers(), peer, own === undefined ? trust! : hopsOf(own));
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
    if (doubtsHeaders && forwardedFor !== undefined && peer !== undefined) {
      const hop = parseAddress(peer);
      // strangers may write what they like to a server that names its proxies; a neighbour is one that it forgot
      const listed = typeof trustProxy === "object";
      if (!trusted.trusts(hop, 0) && (!listed || nearby.trusts(hop, 0))) {
        doubtsHeaders = false;
        warn("SPILLWAY_FORWARDED_IGNORED", listed ? proxyForgotten : forwardedIgnored);
      }
    }
    return address;
  }

  const about: About = { framework: port, ipv6Prefix, addressOf, warn };
  return (req, res = framework.response(req)) =>
    new RequestCall(req, framework.raw(req), res, about);
}

/** What all calls of a guard have in common. */
interface About extends Pick<Call, "framework" | "ipv6Prefix"> {
  addressOf(call: Call): string | undefined;
  readonly warn: Warn;
}

/** A class, as all that leads to a request: a literal might be made among old objects, and keep its request there. */
class RequestCall implements Call {
  declare readonly req: unknown;
  declare readonly raw: IncomingMessage;
  declare readonly res: ServerResponse | undefined;
  readonly #about: About;
  #carried: Carried | undefined;
  #headers: IncomingHttpHeaders | undefined;
  #address: string | undefined;
  #known: boolean;

  constructor(req: unknown, raw: IncomingMessage, res: ServerResponse | undefined, about: About) {
    this.req = req;
    this.raw = raw;
    this.res = res;
    this.#about = about;
    this.#carried = undefined;
    this.#headers = undefined;
    this.#address = undefined;
    this.#known = false;
  }

  get framework(): Framework<unknown> {
    return this.#about.framework;
  }

  get ipv6Prefix(): number {
    return this.#about.ipv6Prefix;
  }

  warn(code: string, message: string): void {
    this.#about.warn(code, message);
  }

  carried(): Carried {
    this.#carried ??= carriedBy(this.raw);
    return this.#carried;
  }

  headers(): IncomingHttpHeaders {
    this.#headers ??= this.raw.headers;
    return this.#headers;
  }

  address(): string | undefined {
    if (!this.#known) {
      this.#known = true;
      this.#address = this.#about.addressOf(this);
    }
    return this.#address;
  }
}

/** The key of a client's address; every client without one shares a reserved key. */
export function addressKey(
  address: string | undefined,
  ipv6Prefix: number,
  ipv4Prefix?: number,
): string {
  const text = address === undefined ? "none" : maskAddress(address, ipv6Prefix, ipv4Prefix);
  return keyPrefix("ip") + text;
}

const nearby = trustedProxies("auto");
const hops = new Map<number, TrustedProxies>();

/** A framework takes any number, and trusts the hops below it. */
function hopsOf(below: number): TrustedProxies {
  const trusted =
    hops.get(below) ?? trustedProxies(Math.min(Math.ceil(below), Number.MAX_SAFE_INTEGER));
  hops.set(below, trusted);
  return trusted;
}

function peerOf(raw: IncomingMessage): string | undefined {
  return (raw.socket as { remoteAddress?: string | undefined } | null | undefined)?.remoteAddress;
}

const noAddress =
  "A request came without an address (a Unix socket, or a client that had left); all such requests share one bucket. Set key or trustProxy to tell them apart.";
const forwardedIgnored =
  "X-Forwarded-For was ignored, since it came from a peer that is not trusted. Behind a proxy with a public address, set trustProxy to that proxy's CIDR.";
const proxyForgotten =
  'X-Forwarded-For was ignored, since it came from a private address that is not on the list trustProxy, so that all behind it share one bucket. A list stands in place of the default: add "loopback" or "uniquelocal" for a proxy close by.';
