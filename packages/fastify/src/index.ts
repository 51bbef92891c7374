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
    /** The limiter's decision on this request; null before the limiter ran. */
    rateLimit: Decision | null;
  }
  interface FastifyInstance {
    rateLimit: RateLimitDecoration;
  }
}

export {
  type Charge,
  type CheckOptions,
  ConfigError,
  type ConfigIssue,
  createLimiter,
  type Decision,
  type DenyCacheOptions,
  type Duration,
  denyCache,
  type FallbackStoreOptions,
  fallbackStore,
  type LeasedStore,
  type LeasedStoreOptions,
  type Limiter,
  type LimiterOptions,
  leasedStore,
  type MemoryStore,
  type MemoryStoreOptions,
  memoryStore,
  type PolicyStatus,
  RateLimitError,
  type Reason,
  type Refused,
  type Store,
  StoreError,
  type Taken,
  type Units,
} from "@spillway/core";
export {
  type ApiKeyOptions,
  type ChallengeAnswer,
  cookie,
  type DialectName,
  type Extractor,
  everyone,
  extractor,
  type HeaderDialect,
  header,
  headerDialects,
  type IpOptions,
  ip,
  jwtClaim,
  type KeyFunction,
  type KeyOption,
  keyOf,
  type PolicyUsage,
  preflight,
  query,
  route,
  type Usage,
  type UserOptions,
  userAgent,
} from "@spillway/core/http";
export type { RateLimitDecoration } from "./decoration.ts";
export { apiKey, join, user } from "./extractors.ts";
export type { FastifyMessage, RateLimitHook } from "./hook.ts";
export { limit } from "./limit.ts";
export { type FastifyRateLimitOptions, rateLimit, rateLimit as default } from "./rate-limit.ts";
export type { RouteRateLimit } from "./route-rate-limit.ts";
export type { UsageHandler } from "./usage.ts";

/** Options of the plugin, under the name that the other adapters use for theirs. */
export type RateLimitOptions = FastifyRateLimitOptions;

/** Options of a policy, either the only one or one of several. */
export type PolicyOptions<Req = FastifyRequest> = HttpPolicyOptions<Req>;

/** Options of one of several policies. */
export type NamedPolicyOptions<Req = FastifyRequest> = PolicyOptions<Req> & {
  readonly name: string;
};

/** Options of a rule. */
export type RuleOptions<Req = FastifyRequest> = HttpRuleOptions<Req>;

/** Options that are independent of policies: write them once and spread them into several limiters. */
export type SharedOptions<Req = FastifyRequest> = HttpSharedOptions<Req>;
