import { ConfigError, type Limiter, received } from "@spillway/core";
import {
  createGuard,
  type Guard,
  type HttpOptions,
  inheritsNoPolicy,
  nameRegistry,
  overridden,
  policyOptionsOf,
} from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import { fastify } from "./fastify.ts";
import { mayBeOne, nameOf, type RouteFacts } from "./route-facts.ts";

/** The guards of the routes that override the plugin's options. */
export interface Routes {
  /**
   * Returns the guard of a route. If its constraints are unknown, it must be called once per Fastify route: a second
   * call counts as another route. Throws a `ConfigError` that names the route and each invalid option.
   */
  guardOf(override: unknown, route: RouteFacts): Guard<FastifyRequest>;
  /** Closes the limiters, which releases their policies' sources. */
  close(): Promise<void>;
}

interface Known {
  readonly override: unknown;
  /** All routes that it limits. */
  readonly routes: RouteFacts[];
  readonly guard: Guard<FastifyRequest>;
}

type Options = HttpOptions<FastifyRequest>;

/**
 * Compiles overrides. A route's bucket is named after its methods, pattern and constraints; the methods of a route with
 * GET or HEAD all count as GET. Routes that give the same name share its bucket, and must give it the same settings. If
 * constraints are unknown, routes with one override count as one only as far as one declaration can have created them.
 * Calls `noteLimiter` with each limiter and the names of its policies, or of its route if a source has them.
 */
export function createRoutes(
  base: Options,
  noteLimiter: (names: readonly string[], limiter: Limiter) => void,
): Routes {
  /** By name; routes that are known to be one may have different override objects. */
  const known = new Map<string, Known[]>();
  /** Guards of overrides that name all their policies, used by any route. */
  const named = new Map<unknown, Guard<FastifyRequest>>();
  const names = nameRegistry<FastifyRequest>();
  names.add(base);

  /** Whether no policy of an override is named after its route. */
  function namesItself(override: unknown): boolean {
    if (!isOptions(override)) return false;
    const { name } = overridden(base, override, "") as { readonly name?: unknown };
    return name !== "";
  }

  function compile(override: unknown, name: string): Guard<FastifyRequest> {
    try {
      if (!isOptions(override)) {
        const expected = "an object of options, or false for no limit";
        throw new ConfigError([{ path: "", expected, received: received(override) }]);
      }
      const options = overridden(base, override, name);
      const guard = createGuard(fastify, options);
      names.add(options);
      const own = policyOptionsOf(options).map((policy) => policy.name ?? name);
      noteLimiter(own.length > 0 ? own : [name], guard.limiter);
      return guard;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw placed(
        error,
        name,
        isOptions(override) ? missing(inheritsNoPolicy(base, override)) : undefined,
      );
    }
  }

  return {
    guardOf(override, route) {
      if (namesItself(override)) {
        const guard = named.get(override) ?? compile(override, nameOf(route));
        named.set(override, guard);
        return guard;
      }
      for (let n = 1; ; n++) {
        const name = nameOf(route, n);
        const others = known.get(name) ?? [];
        const early = route.constraints === undefined;
        const found = others.find(
          ({ override: other, routes }) =>
            other === override && (!early || routes.every((one) => mayBeOne(one, route))),
        );
        if (found) {
          found.routes.push(route);
          return found.guard;
        }
        if (early && others.length > 0) continue;
        const guard = compile(override, name);
        if (n > 1) guard.warn("SPILLWAY_EARLY_ROUTES", twinsText(name));
        known.set(name, [...others, { override, routes: [route], guard }]);
        return guard;
      }
    },

    async close() {
      const guards = [...known.values()].flat().map(({ guard }) => guard);
      await Promise.all([...named.values(), ...guards].map(({ limiter }) => limiter.close()));
    },
  };
}

function twinsText(name: string): string {
  return `Routes of one pattern were declared before the plugin was loaded, so that it cannot see what tells them apart, as constraints do: one of them is called ${JSON.stringify(name)} here, by the order of first requests, which servers that share a store do not agree on. Await the registration.`;
}

function isOptions(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Explains why options that a route leaves out are not inherited. */
function missing(by: string | undefined): string | undefined {
  return by && `nothing: no limit or window is inherited, since the plugin has ${by}`;
}

/** Options that only the plugin has. */
const ofPlugin: readonly string[] = ["hook", "afterRouteHooks"];
const ownHook =
  "the plugin has one for all; for another give this route rateLimit: false and preHandler: limit(options)";

/** Names the route in each issue, and explains why a missing option was not inherited. */
function placed({ issues }: ConfigError, route: string, missing: string | undefined): ConfigError {
  return new ConfigError(
    issues.map(({ path, expected: wanted, received }) => {
      const option = path === "" ? "" : `.${path}`;
      const expected = ofPlugin.includes(path) ? `${wanted} (${ownHook})` : wanted;
      const got = received === "undefined" ? (missing ?? received) : received;
      return { path: `config.rateLimit${option} of ${route}`, expected, received: got };
    }),
  );
}
