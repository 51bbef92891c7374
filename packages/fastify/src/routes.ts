import { ConfigError } from "@spillway/core";
import {
  createGuard,
  type Guard,
  type HttpOptions,
  type HttpPolicyOptions,
} from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import { fastify } from "./fastify.ts";

/** The limiter of one route: `false` exempts it, options override the plugin's. */
export type RouteRateLimit =
  | false
  | (Partial<HttpPolicyOptions<FastifyRequest>> & { readonly policies?: undefined })
  | Extract<HttpOptions<FastifyRequest>, { readonly policies: readonly unknown[] }>;

export interface RouteFacts {
  readonly method: string | readonly string[];
  readonly url: string;
}

/** The guards of the routes that override the plugin's options. */
export interface Routes {
  guardOf(config: object, route: RouteFacts): Guard<FastifyRequest>;
}

interface Known {
  readonly config: object;
  readonly guard: Guard<FastifyRequest>;
}

/**
 * Compiles overrides, each once. A route's bucket is named after its methods and pattern, with HEAD going by GET;
 * routes that give the same `name` share one, and must mean the same by it.
 */
export function createRoutes(base: HttpOptions<FastifyRequest>): Routes {
  const guards = new Map<string, Known>();
  return {
    guardOf(config, route) {
      const given = (config as { name?: string }).name;
      const name = given ?? nameOf(route);
      const known = guards.get(name);
      if (known && same(known.config, config)) return known.guard;
      if (known) {
        const expected = "the same options on all routes of this name";
        throw new ConfigError([
          {
            path: "config.rateLimit",
            expected,
            received: `others for ${JSON.stringify(name)} on ${route.url}`,
          },
        ]);
      }
      const guard = createGuard(fastify, merged(base, config, name));
      guards.set(name, { config, guard });
      return guard;
    },
  };
}

const shared = new Set([
  "store",
  "onStoreError",
  "onDecision",
  "onRefused",
  "onError",
  "onWarning",
  "headers",
  "reset",
  "body",
  "status",
  "trustProxy",
  "ipv6Prefix",
  "exposeHeaders",
  "throw",
]);

/** A route with policies of its own, or below a plugin with several, inherits only what policies share. */
function merged(
  base: HttpOptions<FastifyRequest>,
  config: object,
  name: string,
): HttpOptions<FastifyRequest> {
  const several = "policies" in config || base.policies !== undefined;
  const inherited = Object.entries(base).filter(([option]) => !several || shared.has(option));
  const own = "policies" in config ? {} : { name };
  return { ...Object.fromEntries(inherited), ...config, ...own } as HttpOptions<FastifyRequest>;
}

function nameOf({ method, url }: RouteFacts): string {
  const methods = [method].flat().map((one) => (one === "HEAD" ? "GET" : one));
  const name = `${[...new Set(methods)].join(",")} ${encodeURI(url)}`;
  return name.length > 128 ? `${name.slice(0, 100)}~${name.length}` : name;
}

function same(a: object, b: object): boolean {
  const [one, other] = [Object.entries(a), b as Record<string, unknown>];
  return one.length === Object.keys(b).length && one.every(([k, v]) => other[k] === v);
}
