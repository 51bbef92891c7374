import type { HttpOptions, HttpPolicyOptions, HttpSharedOptions } from "@spillway/core/http";
import type { FastifyRequest } from "fastify";

type Policy = HttpPolicyOptions<FastifyRequest>;
type Shared = HttpSharedOptions<FastifyRequest>;

type Options = HttpOptions<FastifyRequest>;

/** A route's own limit: `false` exempts the route, options override the plugin's. */
export type RouteRateLimit =
  | false
  | ({ readonly [Option in keyof Policy]?: Policy[Option] | undefined } & Shared & {
        readonly policies?: undefined;
        readonly rules?: undefined;
        readonly source?: undefined;
      })
  | Extract<Options, { readonly policies: readonly unknown[] }>
  | Extract<Options, { readonly rules: readonly unknown[] }>
  | Extract<Options, { readonly source: object }>;
