import { ConfigError, defaultPolicyName, type Limiter, received } from "@spillway/core";
import type { Guard } from "@spillway/core/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Routes } from "./routes.ts";
import { type UsageHandler, usageOf } from "./usage.ts";

/** The value of `app.rateLimit`. */
export interface RateLimitDecoration {
  /** The plugin's limiter, to read and reset keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /**
   * The limiters of all registrations on this instance by policy name, and those of routes with their own limit, such as
   * `GET /search`, once these are compiled. Of one name, that of a registration comes first.
   */
  readonly limiters: ReadonlyMap<string, Limiter>;
  /**
   * Creates a handler that sends clients their own usage of the policies of all registrations on this instance as JSON,
   * and charges nothing. Limits of single routes are not included.
   */
  usage(): UsageHandler;
}

/** One registration of the plugin. */
export interface Registration {
  /** Names of its policies; undefined for an unnamed one. */
  readonly names: readonly (string | undefined)[];
  readonly guard: Guard<FastifyRequest>;
  readonly limiter: Limiter;
  readonly routes: Routes;
}

/**
 * Decorates an instance at its first registration, and adds the limiters of further ones. Throws a `ConfigError` if two
 * registrations use the same name.
 */
export function decorate(
  app: FastifyInstance,
  { names, guard, limiter, routes }: Registration,
): void {
  const nearest = app.rateLimit as Partial<Decoration> | undefined;
  const known = nearest?.[routesKey] !== undefined;
  if (!known) app.decorateRequest("rateLimit", null);
  if (known && Object.hasOwn(app, "rateLimit")) {
    addTo(nearest as Decoration, names, limiter);
    (nearest as Decoration)[guardsKey].push(guard);
    return;
  }
  const limiters = new Map<string, Limiter>();
  const registered = new Set<string>();
  addTo({ limiters, [registeredKey]: registered }, names, limiter);
  const guards = [guard];
  const decoration: Decoration = {
    limiter,
    limiters,
    usage: () => usageOf(guards),
    [routesKey]: routes,
    [guardsKey]: guards,
    [registeredKey]: registered,
  };
  app.decorate("rateLimit", decoration);
}

/** Returns the routes of the nearest instance's first registration, which owns overrides: none is charged twice. */
export function routesOf(app: FastifyInstance): Routes {
  return (app.rateLimit as Decoration)[routesKey];
}

/** Adds the limiter of a route of the nearest instance, under the names that no registration or other route has. */
export function addRouteLimiter(
  app: FastifyInstance,
  names: readonly string[],
  limiter: Limiter,
): void {
  const { limiters } = app.rateLimit as Decoration;
  for (const name of names) if (!limiters.has(name)) limiters.set(name, limiter);
}

/** Shared by all copies of the package; the number is the version of the shape. */
const routesKey: unique symbol = Symbol.for("spillway.routes/1");
const guardsKey: unique symbol = Symbol.for("spillway.guards/1");
const registeredKey: unique symbol = Symbol.for("spillway.registered/1");

interface Decoration extends RateLimitDecoration {
  readonly limiters: Map<string, Limiter>;
  readonly [routesKey]: Routes;
  readonly [guardsKey]: Guard<FastifyRequest>[];
  /** The names of its registrations. */
  readonly [registeredKey]: Set<string>;
}

function addTo(
  { limiters, [registeredKey]: registered }: Pick<Decoration, "limiters" | typeof registeredKey>,
  names: Registration["names"],
  limiter: Limiter,
): void {
  for (const given of names) {
    if (given !== undefined && registered.has(given)) {
      const expected = "a name that no other rate limit on this instance has";
      throw new ConfigError([{ path: "name", expected, received: received(given) }]);
    }
    const name = given ?? freeName(registered);
    registered.add(name);
    limiters.set(name, limiter);
  }
}

/** Returns the first of "default", "default 2", "default 3" and so on that is not taken. */
function freeName(taken: ReadonlySet<string>): string {
  let name = defaultPolicyName;
  for (let i = 2; taken.has(name); i++) name = `${defaultPolicyName} ${i}`;
  return name;
}
