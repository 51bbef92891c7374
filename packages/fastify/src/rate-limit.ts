import { ConfigError, type Limiter, memoryStore } from "@spillway/core";
import { createGuard, type Guard, type HttpOptions } from "@spillway/core/http";
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from "fastify";
import plugin from "fastify-plugin";
import { fastify } from "./fastify.ts";
import { hookOf } from "./hook.ts";
import { createRoutes, type RouteFacts, type RouteRateLimit, type Routes } from "./routes.ts";

/** The options of the plugin: a limiter's, and when it runs. */
export type FastifyRateLimitOptions = HttpOptions<FastifyRequest> & {
  /** `"onRequest"` runs before bodies are read; take a later one for keys or costs that need a user or a body. */
  readonly hook?: "onRequest" | "preValidation" | "preHandler" | undefined;
};

/** What `app.rateLimit` is. */
export interface RateLimitDecoration {
  /** The plugin's limiter, to look at and reset keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /** The limiters of all registrations on this instance, by their policy's name. */
  readonly limiters: ReadonlyMap<string, Limiter>;
}

const register: FastifyPluginAsync<FastifyRateLimitOptions> = async (
  app,
  { hook = "onRequest", ...options },
) => {
  const store = options.store ?? memoryStore();
  const base = { ...options, store } as HttpOptions<FastifyRequest>;
  const guard = createGuard(fastify, base);
  const routes = createRoutes(base);
  const name = base.policies ? base.policies.map((policy) => policy.name).join(", ") : base.name;
  decorate(app, name, guard.limiter, routes);

  // Routes that were declared earlier never reach this; theirs are compiled at their first request.
  app.addHook("onRoute", function (route) {
    const own = route.config?.rateLimit;
    if (own) routesOf(this).guardOf(own, route as RouteFacts);
  });
  app.addHook(
    hook,
    hookOf((request) => guardFor(request)),
  );
  if (!options.store) app.addHook("onClose", async () => store.close?.());

  function guardFor({
    routeOptions,
    is404,
    server,
  }: FastifyRequest): Guard<FastifyRequest> | undefined {
    const own: RouteRateLimit | undefined = is404 ? undefined : routeOptions.config.rateLimit;
    if (own === undefined) return guard;
    return own === false ? undefined : routesOf(server).guardOf(own, routeOptions as RouteFacts);
  }
};

/**
 * Limits the routes of an instance and of those within it, not-found ones too. Registering throws a `ConfigError`
 * that names each option that does not fit.
 */
export const rateLimit: FastifyPluginAsync<FastifyRateLimitOptions> = plugin(register, {
  fastify: "5.x",
  name: "@spillway/fastify",
});

const overrides = new WeakMap<RateLimitDecoration, Routes>();

/** Overrides belong to the first registration of the nearest instance, so that no route pays two for one. */
function routesOf(app: FastifyInstance): Routes {
  return overrides.get(app.rateLimit)!;
}

function decorate(
  app: FastifyInstance,
  name: string | undefined,
  limiter: Limiter,
  routes: Routes,
): void {
  if (!app.hasRequestDecorator("rateLimit")) app.decorateRequest("rateLimit", null);
  if (!Object.hasOwn(app, "rateLimit")) {
    app.decorate("rateLimit", { limiter, limiters: new Map([[name ?? "default", limiter]]) });
    overrides.set(app.rateLimit, routes);
    return;
  }
  const limiters = app.rateLimit.limiters as Map<string, Limiter>;
  if (name !== undefined && limiters.has(name)) {
    const expected = "a name that no other rate limit on this instance has";
    throw new ConfigError([{ path: "name", expected, received: JSON.stringify(name) }]);
  }
  limiters.set(name ?? `default ${limiters.size + 1}`, limiter);
}
