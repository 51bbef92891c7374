import type { IncomingMessage, ServerResponse } from "node:http";

/** What differs between frameworks, as functions of the request that each of them hands to middleware. */
export interface Framework<Req> {
  raw(req: Req): IncomingMessage;
  /** Undefined for an upgrade, which has none, and where the guard is given it with each request. */
  response(req: Req): ServerResponse | undefined;
  /** The framework's own answer to who the client is; text, not checked. */
  address(req: Req): string | undefined;
  /**
   * Whether the application has said whom it trusts: `"own"` where the framework's answer heeds it, a number of hops
   * where it does not, undefined where the application has said nothing.
   */
  trust(req: Req): "own" | number | undefined;
  /** Says what looks unsafe about the application's trust. */
  doubts(req: Req): { readonly code: string; readonly message: string } | undefined;
  /** Where authentication leaves the user. */
  user(req: Req): unknown;
  /** Where verified claims of a token are left. */
  claims(req: Req): unknown;
  /** The pattern of the matched route, where one is matched already. */
  route(req: Req): string | undefined;
  /**
   * The methods that the matched route answers, in upper case: a client could else have an allowance for each method
   * of a route that takes all of them. Undefined, or left out: the request's own.
   */
  methods?(req: Req): readonly string[] | undefined;
  /**
   * The request target as the router matches it, with all that the limiter is mounted under: a path, with or without a
   * query. Undefined, or left out: what the client sent.
   */
  target?(req: Req): string | undefined;
  /** The host as the application reads it of a `Host` header with user information. Left out: all before the port. */
  host?(req: Req): string | undefined;
  /** Whether a parameter of the router's patterns also takes an empty segment. Left out: no. */
  readonly emptyParams?: boolean | undefined;
  /**
   * Whether the adapter sets the fields of a verdict, because the framework keeps headers of its own until it writes
   * them. Left out: the guard sets them on Node's response. It holds them either way.
   */
  readonly setsFields?: boolean | undefined;
}
