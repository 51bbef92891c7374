import { ConfigError, memoryStore, received } from "@spillway/core";
import { createGuard, type HttpOptions, misplaced, policyOptionsOf } from "@spillway/core/http";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import plugin from "fastify-plugin";
import { addAfterRouteHooks } from "./after-route-hooks.ts";
import { addRouteLimiter, decorate } from "./decoration.ts";
import { fastify } from "./fastify.ts";
import { type GuardFor, hookOf } from "./hook.ts";
import { collectOverrides, guardAt } from "./overrides.ts";
import { createRoutes } from "./routes.ts";

/** Options of the plugin: those of a limiter, and when it runs. */
export type FastifyRateLimitOptions = HttpOptions<FastifyRequest> & {
  /** `"onRequest"` runs before bodies are read; use a later hook for keys or costs that need a user or a body. */
  readonly hook?: "onRequest" | "preValidation" | "preHandler" | undefined;
  /**
   * Runs after each route's own hooks of the kind `hook`, such as its authentication, instead of before them. Default
   * false. Has no effect on routes declared before the plugin was loaded, and on requests without a route.
   */
  readonly afterRouteHooks?: boolean | undefined;
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
  return install(app, options);
};

const install: FastifyPluginAsync<FastifyRateLimitOptions> = async (
  app,
  { hook = "onRequest", afterRouteHooks = false, ...options },
) => {
  checkHook(hook);
  checkAfterRouteHooks(afterRouteHooks);
  const store = options.store === undefined ? memoryStore() : options.store;
  const onWarning = onceEach(options.onWarning);
  const base = { ...options, store, onWarning } as HttpOptions<FastifyRequest>;
  const guard = createGuard(fastify, base);
  const limiter = options.store === undefined ? { ...guard.limiter, close } : guard.limiter;
  const routes = createRoutes(base, (names, own) => addRouteLimiter(app, names, own));
  decorate(app, { names: namesOf(base), guard, limiter, routes });
  collectOverrides(app);
  const guardOf = (request: FastifyRequest) => guardAt(request, guard);
  const guardFor = hook === "preHandler" ? once(guardOf) : guardOf;
  if (afterRouteHooks) addAfterRouteHooks(app, hook, guardFor);
  else app.addHook(hook, hookOf(guardFor));
  app.addHook("onClose", async () => {
    await Promise.all([routes.close(), limiter.close()]);
  });

  async function close(): Promise<void> {
    await guard.limiter.close();
    await store.close?.();
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

/** Asks once per request: `reply.callNotFound()` runs the hook again after the request was charged for its route. */
function once(guardFor: GuardFor): GuardFor {
  const met = Symbol("spillway.met");
  return (request) => {
    const marked = request as FastifyRequest & { [met]?: true };
    if (marked[met]) return undefined;
    marked[met] = true;
    return guardFor(request);
  };
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

function checkAfterRouteHooks(value: unknown): void {
  if (typeof value === "boolean") return;
  const expected = "true or false";
  throw new ConfigError([{ path: "afterRouteHooks", expected, received: received(value) }]);
}
