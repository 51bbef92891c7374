import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { maskAddress } from "./address/address.ts";
import { type Carried, carriedBy } from "./carried.ts";
import type { Framework } from "./framework.ts";
import { keyPrefix } from "./identity/namespace.ts";
import { requestAddress, type TrustProxyOption } from "./request-address.ts";

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
  readonly trustProxy: TrustProxyOption;
  readonly ipv6Prefix: number;
}

/** Makes calls of requests, for one guard; warns of what looks unsafe. */
export function callsOf<Req>(
  framework: Framework<Req>,
  { trustProxy, ipv6Prefix }: CallOptions,
  warn: Call["warn"],
): (req: Req, res?: ServerResponse) => Call {
  const port = framework as Framework<unknown>;
  const addressOf = requestAddress(port, trustProxy, warn);
  const about: About = { framework: port, ipv6Prefix, addressOf, warn };
  return (req, res = framework.response(req)) =>
    new RequestCall(req, framework.raw(req), res, about);
}

/** What all calls of a guard have in common. */
interface About extends Pick<Call, "framework" | "ipv6Prefix"> {
  addressOf(call: Call): string | undefined;
  readonly warn: Call["warn"];
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

const addresses = keyPrefix("ip");

/** The key of a client's address; every client without one shares a reserved key. */
export function addressKey(
  address: string | undefined,
  ipv6Prefix: number,
  ipv4Prefix?: number,
): string {
  const text = address === undefined ? "none" : maskAddress(address, ipv6Prefix, ipv4Prefix);
  return addresses + text;
}
