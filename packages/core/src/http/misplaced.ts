import { ConfigError, received } from "../errors.ts";

/**
 * Returns the error for an adapter called by something other than its framework: `what` was called, such as
 * `"middleware of @spillway/koa"`, and what was expected instead of what was given.
 */
export function misplaced(what: string, expected: string, given: unknown): ConfigError {
  return new ConfigError([{ path: what, expected, received: callerOf(given) }]);
}

/** Describes what a framework passes, as far as it can be recognized. */
function callerOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return received(given);
  if ("addHook" in given)
    return "an instance of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }))";
  if ("raw" in given)
    return "a request of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }), or limit({ … }) for a hook)";
  if ("state" in given) return "a context of Koa (there is @spillway/koa)";
  if ("socket" in given) return "a request of Express or of Node (there is @spillway/express)";
  return received(given);
}
