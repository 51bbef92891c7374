import type { Decision } from "@spillway/core";
import type {
  HttpOptions,
  HttpPolicyOptions,
  RuleOptions as HttpRuleOptions,
  HttpSharedOptions,
} from "@spillway/core/http";
import type { ExpressRequest } from "./express.ts";

declare global {
  namespace Express {
    interface Request {
      /** What the limiter decided on this request; undefined before it ran. */
      rateLimit?: Decision;
    }
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
export type { ExpressApplication, ExpressRequest } from "./express.ts";
export { apiKey, join, user } from "./extractors.ts";
export { type RateLimitMiddleware, rateLimit } from "./rate-limit.ts";

/** The options of `rateLimit`. */
export type RateLimitOptions<Req = ExpressRequest> = HttpOptions<Req>;

/** The options of one policy, given flat or as one of several. */
export type PolicyOptions<Req = ExpressRequest> = HttpPolicyOptions<Req>;

/** The options of one policy among several. */
export type NamedPolicyOptions<Req = ExpressRequest> = PolicyOptions<Req> & {
  readonly name: string;
};

/** The options of one rule. */
export type RuleOptions<Req = ExpressRequest> = HttpRuleOptions<Req>;

/** The options that stand beside any policies: to be written once, and spread into those of several limiters. */
export type SharedOptions<Req = ExpressRequest> = HttpSharedOptions<Req>;
