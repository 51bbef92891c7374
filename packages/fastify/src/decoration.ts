import { ConfigError, defaultPolicyName, type Limiter, received } from "@spillway/core";
import type { Guard } from "@spillway/core/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Routes } from "./routes.ts";
import { type UsageHandler, usageOf } from "./usage.ts";

/** The value of `app.rateLimit`. */
export interface RateLimitDecoration {
  /** The plugin's limiter, to read and reset keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /** The limiters of all registrations on this instance, by policy name. */
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
    addTo((nearest as Decoration).limiters, names, limiter);
    (nearest as Decoration)[guardsKey].push(guard);
    return;
  }
  const limiters = new Map<string, Limiter>();
  addTo(limiters, names, limiter);
  const guards = [guard];
  const decoration: Decoration = {
    limiter,
    limiters,
    usage: () => usageOf(guards),
    [routesKey]: routes,
    [guardsKey]: guards,
  };
  app.decorate("rateLimit", decoration);
}

/** Returns the routes of the nearest instance's first registration, which owns overrides: none is charged twice. */
export function routesOf(app: FastifyInstance): Routes {
  return (app.rateLimit as Decoration)[routesKey];
}

/** Shared by all copies of the package; the number is the version of the shape. */
const routesKey: unique symbol = Symbol.for("spillway.routes/1");
const guardsKey: unique symbol = Symbol.for("spillway.guards/1");

interface Decoration extends RateLimitDecoration {
  readonly limiters: Map<string, Limiter>;
  readonly [routesKey]: Routes;
  readonly [guardsKey]: Guard<FastifyRequest>[];
}

function addTo(
  limiters: Map<string, Limiter>,
  names: Registration["names"],
  limiter: Limiter,
): void {
  for (const name of names) {
    if (name !== undefined && limiters.has(name)) {
      const expected = "a name that no other rate limit on this instance has";
      throw new ConfigError([{ path: "name", expected, received: received(name) }]);
    }
    limiters.set(name ?? freeName(limiters), limiter);
  }
}

/** Returns the first of "default", "default 2", "default 3" and so on that is not taken. */
function freeName(taken: ReadonlyMap<string, Limiter>): string {
  let name = defaultPolicyName;
  for (let i = 2; taken.has(name); i++) name = `${defaultPolicyName} ${i}`;
  return name;
}
