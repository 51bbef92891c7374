import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { maskAddress } from "./address/address.ts";
import type { Framework } from "./framework.ts";
import { keyPrefix } from "./identity/namespace.ts";
import { requestAddress, type TrustProxyOption } from "./request-address.ts";
import { type RequestState, requestState } from "./request-state.ts";

/** A request on its way through a guard. */
export interface RequestContext {
  readonly req: unknown;
  readonly raw: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly res: ServerResponse | undefined;
  readonly framework: Framework<unknown>;
  readonly ipv6Prefix: number;
  /** What the request carries from one limiter to the next. */
  state(): RequestState;
  headers(): IncomingHttpHeaders;
  /** Returns the client's canonical address; undefined if there is none. */
  address(): string | undefined;
  /** Warns once per code. */
  warn(code: string, message: string): void;
}

/** How a guard finds and masks client addresses. */
export interface RequestContextOptions {
  readonly trustProxy: TrustProxyOption;
  readonly ipv6Prefix: number;
}

/** Creates the contexts of requests, for one guard; warns of what looks unsafe. */
export function requestContexts<Req>(
  framework: Framework<Req>,
  { trustProxy, ipv6Prefix }: RequestContextOptions,
  warn: RequestContext["warn"],
): (req: Req, res?: ServerResponse) => RequestContext {
  const port = framework as Framework<unknown>;
  const addressOf = requestAddress(port, trustProxy, warn);
  const about: About = { framework: port, ipv6Prefix, addressOf, warn };
  return (req, res = framework.response(req)) =>
    new LazyContext(req, framework.raw(req), res, about);
}

/** What all contexts of a guard have in common. */
interface About extends Pick<RequestContext, "framework" | "ipv6Prefix"> {
  addressOf(context: RequestContext): string | undefined;
  readonly warn: RequestContext["warn"];
}

/**
 * A class, like all that leads to a request: a literal might be allocated among old objects, and keep its request
 * there.
 */
class LazyContext implements RequestContext {
  declare readonly req: unknown;
  declare readonly raw: IncomingMessage;
  declare readonly res: ServerResponse | undefined;
  readonly #about: About;
  #state: RequestState | undefined;
  #headers: IncomingHttpHeaders | undefined;
  #address: string | undefined;
  #known: boolean;

  constructor(req: unknown, raw: IncomingMessage, res: ServerResponse | undefined, about: About) {
    this.req = req;
    this.raw = raw;
    this.res = res;
    this.#about = about;
    this.#state = undefined;
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

  state(): RequestState {
    this.#state ??= requestState(this.raw);
    return this.#state;
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

const addresses = keyPrefix("ip");

/** Returns the key of a client's address; all clients without one share a reserved key. */
export function addressKey(
  address: string | undefined,
  ipv6Prefix: number,
  ipv4Prefix?: number,
): string {
  const text = address === undefined ? "none" : maskAddress(address, ipv6Prefix, ipv4Prefix);
  return addresses + text;
}
