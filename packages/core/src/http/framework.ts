import type { IncomingMessage, ServerResponse } from "node:http";

/** The differences between frameworks, as functions of the request that each passes to middleware. */
export interface Framework<Req> {
  raw(req: Req): IncomingMessage;
  /** Undefined for an upgrade, which has none, or if the guard is given it with each request. */
  response(req: Req): ServerResponse | undefined;
  /** The client's address according to the framework; an unchecked string. */
  address(req: Req): string | undefined;
  /**
   * Whether the application has configured whom it trusts: `"own"` if the framework's address respects that, a number
   * of hops if it does not, undefined if nothing is configured.
   */
  trust(req: Req): "own" | number | undefined;
  /** Returns what looks unsafe about the application's trust, if anything. */
  doubts(req: Req): { readonly code: string; readonly message: string } | undefined;
  /** The user that authentication found. */
  user(req: Req): unknown;
  /** The verified claims of a token. */
  claims(req: Req): unknown;
  /** The pattern of the matched route, if one is matched already. */
  route(req: Req): string | undefined;
  /**
   * The methods of the matched route, in upper case: otherwise a client would have an allowance for each method of a
   * route that takes all of them. Undefined, or left out: the request's own.
   */
  methods?(req: Req): readonly string[] | undefined;
  /**
   * The request target as the router matches it, including all that the limiter is mounted under: a path, with or
   * without a query. Undefined, or left out: what the client sent.
   */
  target?(req: Req): string | undefined;
  /** The host according to the application, for a `Host` field with user information. Left out: all before the port. */
  host?(req: Req): string | undefined;
  /** Whether a parameter of the router's patterns also takes an empty segment. Left out: no. */
  readonly emptyParams?: boolean | undefined;
  /**
   * Whether the adapter sets the fields of a verdict, because the framework keeps its own headers until it writes them.
   * Left out: the guard sets them on Node's response. It holds them either way.
   */
  readonly setsFields?: boolean | undefined;
}

/** The number of methods in RFC 9110 and RFC 5789. */
const specified = 9;

/**
 * Whether a route with so many methods stands for every method: a router's `all` lists those that Node knows, which are
 * more than the specifications have.
 */
export function isEveryMethod(count: number): boolean {
  return count > specified;
}
