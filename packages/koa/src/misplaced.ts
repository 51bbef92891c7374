import { misplaced } from "@spillway/core/http";

/**
 * Returns an error if a middleware's caller is not Koa; undefined if it is, and something else is wrong. Called only
 * after the middleware failed.
 */
export function misplacedCall(ctx: unknown): Error | undefined {
  const { req, res } = (ctx ?? {}) as Partial<Record<string, unknown>>;
  if (typeof req === "object" && typeof res === "object") return undefined;
  return misplaced("middleware of @spillway/koa", "a context of Koa", ctx);
}
