import type { Decision } from "@spillway/core";
import type {
  HttpPolicyOptions,
  RuleOptions as HttpRuleOptions,
  HttpSharedOptions,
} from "@spillway/core/http";
import type { FastifyRequest } from "fastify";
import type { RateLimitDecoration } from "./decoration.ts";
import type { FastifyRateLimitOptions } from "./rate-limit.ts";
import type { RouteRateLimit } from "./route-rate-limit.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Overrides the plugin's options for this route; `false` exempts it. */
    rateLimit?: RouteRateLimit | undefined;
  }
  interface FastifyRequest {
    /** What the limiter decided on this request; null before it ran. */
    rateLimit: Decision | null;
  }
  interface FastifyInstance {
    rateLimit: RateLimitDecoration;
  }
}

export {
  ConfigError,
  type Decision,
  type Duration,
  type Limiter,
  type MemoryStore,
  memoryStore,
  type PolicyStatus,
  RateLimitError,
  type Reason,
  StoreError,
} from "@spillway/core";
export {
  type ChallengeAnswer,
  cookie,
  type DialectName,
  type Extractor,
  everyone,
  extractor,
  type HeaderDialect,
  header,
  headerDialects,
  ip,
  jwtClaim,
  keyOf,
  type PolicyUsage,
  preflight,
  query,
  route,
  type Usage,
  userAgent,
} from "@spillway/core/http";
export type { RateLimitDecoration } from "./decoration.ts";
export { apiKey, join, user } from "./extractors.ts";
export type { FastifyMessage, RateLimitHook } from "./hook.ts";
export { limit } from "./limit.ts";
export { type FastifyRateLimitOptions, rateLimit, rateLimit as default } from "./rate-limit.ts";
export type { RouteRateLimit } from "./route-rate-limit.ts";
export type { UsageHandler } from "./usage.ts";

/** The options of the plugin, by the name that the other adapters have for theirs. */
export type RateLimitOptions = FastifyRateLimitOptions;

/** The options of one policy, given flat or as one of several. */
export type PolicyOptions<Req = FastifyRequest> = HttpPolicyOptions<Req>;

/** The options of one policy among several. */
export type NamedPolicyOptions<Req = FastifyRequest> = PolicyOptions<Req> & {
  readonly name: string;
};

/** The options of one rule. */
export type RuleOptions<Req = FastifyRequest> = HttpRuleOptions<Req>;

/** The options that stand beside any policies: to be written once, and spread into those of several limiters. */
export type SharedOptions<Req = FastifyRequest> = HttpSharedOptions<Req>;
