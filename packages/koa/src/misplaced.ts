import { misplaced } from "@spillway/core/http";

/**
 * Returns an error if a middleware's caller is not Koa; undefined if it is, and something else is wrong. Called only
 * after the middleware failed.
 */
export function misplacedCall(ctx: unknown): Error | undefined {
  return isContext(ctx)
    ? undefined
    : misplaced("middleware of @spillway/koa", "a context of Koa", ctx);
}

/** Returns an error if what is to be checked is no context of Koa; otherwise undefined. */
export function misplacedCheck(ctx: unknown): Error | undefined {
  const expected = "a context of Koa (a key: limit.limiter.check(key))";
  return isContext(ctx) ? undefined : misplaced("limit.check(ctx)", expected, ctx);
}

function isContext(ctx: unknown): boolean {
  const { req, res } = (ctx ?? {}) as Partial<Record<string, unknown>>;
  return typeof req === "object" && typeof res === "object";
}
