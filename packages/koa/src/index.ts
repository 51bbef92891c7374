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

/** The options of `rateLimit`. */
export type RateLimitOptions<Ctx = KoaContext> = HttpOptions<Ctx>;

/** The options of one policy, given flat or as one of several. */
export type PolicyOptions<Ctx = KoaContext> = HttpPolicyOptions<Ctx>;

/** The options of one policy among several. */
export type NamedPolicyOptions<Ctx = KoaContext> = PolicyOptions<Ctx> & { readonly name: string };

/** The options of one rule. */
export type RuleOptions<Ctx = KoaContext> = HttpRuleOptions<Ctx>;

/** The options that stand beside any policies: to be written once, and spread into those of several limiters. */
export type SharedOptions<Ctx = KoaContext> = HttpSharedOptions<Ctx>;
