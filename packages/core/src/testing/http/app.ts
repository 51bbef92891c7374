import type { IncomingMessage, Server } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import type { Limiter } from "../../limiter.ts";

/** An application that a framework is to serve: limiters in front of routes, all of it data. */
export interface HttpApp {
  /** In front of everything else that answers, unmatched paths too, in this order. */
  readonly limits: readonly Mount[];
  /** By method and path, such as `"GET /"`. */
  readonly routes: Readonly<Record<string, Handler>>;
  /** The path where clients find their usage by the first limiter, in front of all limiters. */
  readonly usage: string | undefined;
  /** Header fields that are set before the limiters run, on Node's own response where need be. */
  readonly before: Readonly<Record<string, string>>;
  /** Users by the value of the `x-user` field; put where the framework's applications keep theirs. */
  readonly users: Readonly<Record<string, unknown>>;
  /** The application's own trust in proxies: in one hop, in everybody, or never said. */
  readonly trust: "one-hop" | "everybody" | undefined;
  /**
   * What the application's error handling answers; it removes every header field first, as careless
   * ones do. Undefined: the framework's own error handling.
   */
  readonly onError: ((error: unknown) => Failure) | undefined;
}

/** A limiter, and how often one and the same is mounted. */
export interface Mount {
  readonly options: OptionsFor;
  readonly times: number;
}

/** Options of an adapter, once it is known how to find Node's request in the framework's. */
export type OptionsFor = <Req>(raw: (req: Req) => IncomingMessage) => HttpOptions<Req>;

/** What a route does, in this order. */
export interface Handler {
  /** Is told what the framework's request carries as its decision. */
  readonly reached?: ((decision: unknown) => void) | undefined;
  /** Is waited for. */
  readonly until?: (() => Promise<unknown>) | undefined;
  /** Makes an error, which is thrown in place of an answer. */
  readonly fails?: (() => unknown) | undefined;
  /** Default 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default `"ok"`. */
  readonly body?: string | undefined;
  /** Sends the head and the body, and leaves the answer open until the client goes away. */
  readonly open?: boolean | undefined;
}

/** How an error is answered. */
export interface Failure {
  readonly status: number;
  readonly body: string;
}

/** A served application. */
export interface Served {
  /** Not listening: the suite connects to it, or lets it listen. */
  readonly server: Server;
  /** In the order of the application's limits. */
  readonly limiters: readonly Limiter[];
  /** Frees what is left when the server is closed. */
  close?(): void | Promise<void>;
}

/** Builds an application in the framework under test. */
export type Serve = (app: HttpApp) => Served | Promise<Served>;
