import type { Limiter } from "@spillway/core";
import { createGuard, type HttpOptions } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import { fastify } from "./fastify.ts";
import { hookOf, type RateLimitHook } from "./hook.ts";
import { type UsageHandler, usageOf } from "./usage.ts";

/**
 * Makes a hook for one place, with a limiter of its own: `{ preHandler: limit({ limit: 5, window: "1m" }) }`. Needs no
 * plugin. Throws a `ConfigError` that names each option that does not fit.
 */
export function limit(
  options: HttpOptions<FastifyRequest>,
): RateLimitHook & { readonly limiter: Limiter; usage(): UsageHandler } {
  const guard = createGuard(fastify, options);
  return Object.assign(
    hookOf(() => guard),
    { limiter: guard.limiter, usage: () => usageOf([guard]) },
  );
}
