import type { IncomingMessage, Server } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import type { Limiter } from "../../limiter.ts";

/** An application for a framework to serve, as data: limiters before routes. */
export interface HttpApp {
  /** Before everything else that responds, even for unmatched paths, in this order. */
  readonly limits: readonly Mount[];
  /** By method and path, such as `"GET /"`. */
  readonly routes: Readonly<Record<string, Handler>>;
  /** The path of the first limiter's usage response, before all limiters. */
  readonly usage: string | undefined;
  /** Header fields set before the limiters run, on Node's own response if necessary. */
  readonly before: Readonly<Record<string, string>>;
  /** Users by the value of the `x-user` field; stored where the framework's applications keep theirs. */
  readonly users: Readonly<Record<string, unknown>>;
  /** The application's own trust in proxies: one hop, everybody, or not configured. */
  readonly trust: "one-hop" | "everybody" | undefined;
  /**
   * Returns the error handler's response; the handler first removes every header field, as careless ones do. Undefined:
   * the framework's own error handling.
   */
  readonly onError: ((error: unknown) => Failure) | undefined;
}

/** A limiter, and how often the same one is mounted. */
export interface Mount {
  readonly options: OptionsFor;
  readonly times: number;
}

/** Returns the options of an adapter, given how to get Node's request from the framework's. */
export type OptionsFor = <Req>(raw: (req: Req) => IncomingMessage) => HttpOptions<Req>;

/** What a route does, in this order. */
export interface Handler {
  /** Called with the decision that the framework's request carries. */
  readonly reached?: ((decision: unknown) => void) | undefined;
  /** Awaited. */
  readonly until?: (() => Promise<unknown>) | undefined;
  /** Returns an error to throw instead of responding. */
  readonly fails?: (() => unknown) | undefined;
  /** Default 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default `"ok"`. */
  readonly body?: string | undefined;
  /** Sends the head and the body, and leaves the response open until the client leaves. */
  readonly open?: boolean | undefined;
}

/** The response to an error. */
export interface Failure {
  readonly status: number;
  readonly body: string;
}

/** A served application. */
export interface Served {
  /** Not listening: the suite connects to it, or makes it listen. */
  readonly server: Server;
  /** In the order of the application's limits. */
  readonly limiters: readonly Limiter[];
  /** Releases what remains after the server is closed. */
  close?(): void | Promise<void>;
}

/** Builds an application in the framework under test. */
export type Serve = (app: HttpApp) => Served | Promise<Served>;
