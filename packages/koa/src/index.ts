import type {
  HttpOptions,
  HttpPolicyOptions,
  RuleOptions as HttpRuleOptions,
  HttpSharedOptions,
} from "@spillway/core/http";
import type { KoaContext } from "./koa.ts";

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
export { apiKey, join, user } from "./extractors.ts";
export type { KoaContext } from "./koa.ts";
export { type RateLimitMiddleware, rateLimit } from "./rate-limit.ts";
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
