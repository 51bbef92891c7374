import { ConfigError, type Limiter } from "@spillway/core";
import { createGuard, type HttpOptions } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import { fastify } from "./fastify.ts";
import { hookOf, type RateLimitHook } from "./hook.ts";
import { type UsageHandler, usageOf } from "./usage.ts";

/**
 * Creates a hook with its own limiter for one place: `{ preHandler: limit({ limit: 5, window: "1m" }) }`. Needs no
 * plugin. Throws a `ConfigError` that names each invalid option.
 */
export function limit<Req = FastifyRequest>(
  options: HttpOptions<Req>,
): RateLimitHook & { readonly limiter: Limiter; usage(): UsageHandler } {
  const guard = createGuard(fastify, options as HttpOptions<never> as HttpOptions<FastifyRequest>);
  return Object.assign(
    hookOf((request) => {
      if (request.raw === undefined) throw notAPlugin();
      return guard;
    }),
    { limiter: guard.limiter, usage: () => usageOf([guard]) },
  );
}

/** For a hook that was registered as a plugin, and so is called with an instance. */
function notAPlugin(): ConfigError {
  const expected =
    'to be a hook, as in addHook("onRequest", limit(options)) or { preHandler: limit(options) } (the plugin is rateLimit)';
  return new ConfigError([
    { path: "limit(options)", expected, received: "an instance to register it on" },
  ]);
}
