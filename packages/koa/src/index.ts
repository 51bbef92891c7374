import type {
  HttpOptions,
  HttpPolicyOptions,
  RuleOptions as HttpRuleOptions,
  HttpSharedOptions,
} from "@spillway/core/http";
import type { KoaContext } from "./koa.ts";

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
export { apiKey, join, user } from "./extractors.ts";
export type { KoaContext } from "./koa.ts";
export { type RateLimitMiddleware, rateLimit, rateLimit as default } from "./rate-limit.ts";
export type { KoaApplication } from "./upgrade-context.ts";

/** Options of `rateLimit`. */
export type RateLimitOptions<Ctx = KoaContext> = HttpOptions<Ctx>;

/** Options of a policy, either the only one or one of several. */
export type PolicyOptions<Ctx = KoaContext> = HttpPolicyOptions<Ctx>;

/** Options of one of several policies. */
export type NamedPolicyOptions<Ctx = KoaContext> = PolicyOptions<Ctx> & { readonly name: string };

/** Options of a rule. */
export type RuleOptions<Ctx = KoaContext> = HttpRuleOptions<Ctx>;

/** Options that are independent of policies: write them once and spread them into several limiters. */
export type SharedOptions<Ctx = KoaContext> = HttpSharedOptions<Ctx>;
