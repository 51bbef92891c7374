import { ConfigError, memoryStore, received } from "@spillway/core";
import {
  createGuard,
  type Guard,
  type HttpOptions,
  misplaced,
  policyOptionsOf,
} from "@spillway/core/http";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import plugin from "fastify-plugin";
import { decorate, routesOf } from "./decoration.ts";
import { fastify } from "./fastify.ts";
import { hookOf } from "./hook.ts";
import { checkOverridePlace } from "./override-place.ts";
import type { RouteFacts } from "./route-facts.ts";
import { createRoutes } from "./routes.ts";

/** Options of the plugin: those of a limiter, and when it runs. */
export type FastifyRateLimitOptions = HttpOptions<FastifyRequest> & {
  /** `"onRequest"` runs before bodies are read; use a later hook for keys or costs that need a user or a body. */
  readonly hook?: "onRequest" | "preValidation" | "preHandler" | undefined;
};

/**
 * Not async, so that a caller passing something other than a Fastify instance gets a synchronous error instead of an
 * unhandled rejection.
 */
const register: FastifyPluginAsync<FastifyRateLimitOptions> = (app, options) => {
  if (typeof app?.addHook !== "function") {
    const expected = "an instance of Fastify, as app.register(rateLimit, { … }) hands it over";
    throw misplaced("plugin of @spillway/fastify", expected, app);
  }
  return begin(app, options);
};

const begin: FastifyPluginAsync<FastifyRateLimitOptions> = async (
  app,
  { hook = "onRequest", ...options },
) => {
  checkHook(hook);
  const store = options.store === undefined ? memoryStore() : options.store;
  const onWarning = onceEach(options.onWarning);
  const base = { ...options, store, onWarning } as HttpOptions<FastifyRequest>;
  const guard = createGuard(fastify, base);
  const limiter = options.store === undefined ? { ...guard.limiter, close } : guard.limiter;
  const routes = createRoutes(base);
  const met = Symbol("spillway.met");
  const waiting: (() => void)[] = [];
  decorate(app, { names: namesOf(base), guard, limiter, routes });

  app.addHook("onRoute", function (route) {
    const { constraints = {} } = route;
    const config = route.config ?? {};
    const facts = factsOf(route as Route, route.prefix, constraints);
    const own = config.rateLimit;
    if (own === undefined) checkOverridePlace(route, config, facts);
    if (own === undefined || own === false) return;
    const compile = () => routesOf(this).guardOf(own, facts);
    // A nested instance may still register the plugin itself, and then owns the override.
    if (Object.hasOwn(this, "rateLimit")) compile();
    else waiting.push(compile);
    const carried: RouteConfig = { [constraintsKey]: constraints };
    // A copy, since routes may share one object; keeps its class, whose properties may be accessors.
    const copy = Object.create(
      Object.getPrototypeOf(config),
      Object.getOwnPropertyDescriptors(config),
    ) as typeof config;
    route.config = Object.assign(copy, carried);
  });
  app.addHook("onReady", async () => {
    for (const compile of waiting.splice(0)) compile();
  });
  app.addHook(hook, hookOf(hook === "preHandler" ? once : guardFor));
  app.addHook("onClose", async () => {
    await Promise.all([routes.close(), limiter.close()]);
  });

  async function close(): Promise<void> {
    await guard.limiter.close();
    await store.close?.();
  }

  /** Returns a request's guard. Routes declared before the plugin are compiled at their first request. */
  function guardFor(request: FastifyRequest): Guard<FastifyRequest> | undefined {
    if (request.is404) return guard;
    const { routeOptions, server } = request;
    const own = routeOptions.config.rateLimit;
    if (own === undefined) return guard;
    if (own === false) return undefined;
    const slot = routeOptions.config as RouteConfig;
    slot[guardKey] ??= routesOf(server).guardOf(own, factsAt(request));
    return slot[guardKey];
  }

  /** `reply.callNotFound()` runs this hook again, after the request was charged for its route. */
  function once(request: FastifyRequest): Guard<FastifyRequest> | undefined {
    const marked = request as FastifyRequest & { [met]?: true };
    if (marked[met]) return undefined;
    marked[met] = true;
    return guardFor(request);
  }
};

/**
 * Limits the routes of an instance and of nested ones, including not-found routes. Registering throws a `ConfigError`
 * that names each invalid option.
 */
export const rateLimit: FastifyPluginAsync<FastifyRateLimitOptions> = plugin(register, {
  fastify: "5.x",
  name: "@spillway/fastify",
});

/** Spillway's part of a route's config, which Fastify keeps per route; shared by all copies of the package. */
interface RouteConfig {
  [constraintsKey]?: object | undefined;
  [guardKey]?: Guard<FastifyRequest>;
}

const constraintsKey: unique symbol = Symbol.for("spillway.constraints/1");
const guardKey: unique symbol = Symbol.for("spillway.guard/1");

type Route = Pick<RouteFacts, "method" | "url" | "prefixTrailingSlash">;

function factsOf(
  { method, url, prefixTrailingSlash }: Route,
  prefix: string,
  constraints: object | undefined,
): RouteFacts {
  return { method, url, prefixTrailingSlash, prefix, constraints };
}

/** Returns the facts of a request's route. */
function factsAt(request: FastifyRequest): RouteFacts {
  const { routeOptions, server } = request;
  const { [constraintsKey]: constraints } = routeOptions.config as RouteConfig;
  const [path] = fastify.target!(request)!.split(/[?#]/, 1);
  const slashes = ["//", "/", ""].find((end) => path!.endsWith(end));
  return { ...factsOf(routeOptions as Route, server.prefix, constraints), slashes };
}

type Warn = NonNullable<FastifyRateLimitOptions["onWarning"]>;

/** Emits each warning code once: routes with their own options have their own limiters, which would all warn alike. */
function onceEach(warn: Warn = (warning) => process.emitWarning(warning)): Warn {
  // The options check rejects anything but a function.
  if (typeof warn !== "function") return warn;
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning.code)) return undefined;
    told.add(warning.code);
    return warn(warning);
  };
}

/** Returns the names of the plugin's policies; a single undefined for none. */
function namesOf(options: HttpOptions<FastifyRequest>): (string | undefined)[] {
  const names = policyOptionsOf(options).map(({ name }) => name);
  return names.length === 0 ? [undefined] : names;
}

function checkHook(hook: unknown): void {
  if (hook === "onRequest" || hook === "preValidation" || hook === "preHandler") return;
  const expected = 'one of "onRequest", "preValidation", "preHandler"';
  throw new ConfigError([{ path: "hook", expected, received: received(hook) }]);
}
