import type { Awaitable } from "../../awaitable.ts";

/** Selects requests: a path such as `"GET /users/:id"`, conditions, a function, or a list of which one must hold. */
export type Match<Req> =
  | string
  | MatchOptions<Req>
  | ((req: Req) => Awaitable<boolean | null | undefined>)
  | readonly Match<Req>[];

/** Conditions on a request, all of which must hold; of a list of values, one must. */
export interface MatchOptions<Req> {
  /** Such as `"POST"`; `"GET"` includes HEAD. */
  readonly method?: string | readonly string[] | undefined;
  /** Such as `"/users/:id"` or `"/files/*"`, whatever the limiter is mounted under. */
  readonly path?: string | readonly string[] | undefined;
  /** Such as `"api.example.com"` or `"*.example.com"`, without a port. */
  readonly host?: string | readonly string[] | undefined;
  /** Values of header fields; `true` for any. */
  readonly header?: Readonly<Record<string, string | true | readonly string[]>> | undefined;
  /** Called last; only `true` holds. */
  readonly when?: ((req: Req) => Awaitable<boolean | null | undefined>) | undefined;
  /** Whether `path` is case-sensitive. Default `false`. */
  readonly caseSensitive?: boolean | undefined;
}
