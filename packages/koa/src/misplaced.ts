import { ConfigError, received } from "@spillway/core";

/**
 * Says that what calls a middleware is no Koa; undefined for a context of Koa, where something else is wrong. Asked only
 * where the middleware failed.
 */
export function misplaced(ctx: unknown): ConfigError | undefined {
  const { req, res } = (ctx ?? {}) as Partial<Record<string, unknown>>;
  if (typeof req === "object" && typeof res === "object") return undefined;
  const expected = "a context of Koa";
  const path = "middleware of @spillway/koa";
  return new ConfigError([{ path, expected, received: callerOf(ctx) }]);
}

function callerOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return received(given);
  if ("addHook" in given) return "an instance of Fastify (there is @spillway/fastify)";
  if ("raw" in given) return "a request of Fastify (there is @spillway/fastify)";
  if ("socket" in given) return "a request of Express or of Node (there is @spillway/express)";
  return received(given);
}
