import { misplaced } from "@spillway/core/http";

/**
 * Says that what calls a middleware is no Koa; undefined for a context of Koa, where something else is wrong. Asked only
 * where the middleware failed.
 */
export function misplacedCall(ctx: unknown): Error | undefined {
  const { req, res } = (ctx ?? {}) as Partial<Record<string, unknown>>;
  if (typeof req === "object" && typeof res === "object") return undefined;
  return misplaced("middleware of @spillway/koa", "a context of Koa", ctx);
}
