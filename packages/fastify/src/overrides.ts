import type { Guard } from "@spillway/core/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { routesOf } from "./decoration.ts";
import { fastify } from "./fastify.ts";
import { checkOverridePlace } from "./override-place.ts";
import { configWith } from "./route-config.ts";
import type { RouteFacts } from "./route-facts.ts";

/**
 * Compiles the `config.rateLimit` of each route as it is declared; in nested instances, which may still register the
 * plugin themselves, when the application is ready. Throws a `ConfigError` that names the route.
 */
export function collectOverrides(app: FastifyInstance): void {
  const waiting: (() => void)[] = [];
  app.addHook("onRoute", function (route) {
    const { constraints = {} } = route;
    const config = route.config ?? {};
    const facts = factsOf(route as Route, route.prefix, constraints);
    const own = config.rateLimit;
    if (own === undefined) checkOverridePlace(route, config, facts);
    if (own === undefined) return;
    const compile = () => routesOf(this).guardOf(own, facts);
    if (own !== false && Object.hasOwn(this, "rateLimit")) compile();
    else if (own !== false) waiting.push(compile);
    route.config = configWith(config, { rateLimit: own, [constraintsKey]: constraints });
  });
  app.addHook("onReady", async () => {
    for (const compile of waiting.splice(0)) compile();
  });
}

/**
 * Returns the guard of a request: the plugin's, or that of its route's override; undefined if the route is exempt.
 * Routes declared before the plugin was loaded are compiled at their first request.
 */
export function guardAt(
  request: FastifyRequest,
  guard: Guard<FastifyRequest>,
): Guard<FastifyRequest> | undefined {
  if (request.is404) return guard;
  const { routeOptions, server } = request;
  const own = routeOptions.config.rateLimit;
  if (own === undefined) return guard;
  if (own === false) return undefined;
  const slot = routeOptions.config as RouteConfig;
  slot[guardKey] ??= routesOf(server).guardOf(own, factsAt(request));
  return slot[guardKey];
}

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
