export type { Action, Challenge, ChallengeAnswer } from "./action.ts";
export { admitThen } from "./admit-then.ts";
export { type ApiKeyOptions, apiKey } from "./api-key.ts";
export type { Body } from "./body.ts";
export type { Call } from "./call.ts";
export { latestDecision } from "./carried.ts";
export { cookie, query, userAgent } from "./characteristics.ts";
export type { Extractor, Identity, KeyFunction, KeyOption } from "./extractor.ts";
export { extractor } from "./extractor.ts";
export {
  everyone,
  header,
  type IpOptions,
  ip,
  join,
  jwtClaim,
  route,
  type UserOptions,
  user,
} from "./extractors.ts";
export type { ExtractorsOf } from "./extractors-of.ts";
export { failureOf } from "./failure.ts";
export type { Framework } from "./framework.ts";
export { createGuard, type Guard } from "./guard.ts";
export { isHeadSent } from "./head-sent.ts";
export type { HeaderChoice } from "./header-choice.ts";
export type {
  DialectHeader,
  DialectTime,
  DialectValue,
  HeaderDialect,
} from "./header-dialect.ts";
export { type DialectName, headerDialects } from "./header-dialects.ts";
export type { HeaderStyle } from "./header-style.ts";
export type { HttpBanOptions } from "./http-ban-options.ts";
export {
  type HttpOptions,
  type HttpSharedOptions,
  policyOptionsOf,
  type SourcedPolicies,
} from "./http-options.ts";
export type { HttpPolicyOptions } from "./http-policy-options.ts";
export { keyOf } from "./key-of.ts";
export type { Listed, ListedOptions } from "./list-entry.ts";
export { lowerCaseName } from "./lower-case-name.ts";
export type { Match, MatchOptions } from "./match/match-options.ts";
export { misleads } from "./misleading-fields.ts";
export { misplaced } from "./misplaced.ts";
export type { Outcomes, StatusClass } from "./outcomes.ts";
export { inheritsNoPolicy, overridden } from "./override.ts";
export { preflight } from "./preflight.ts";
export type { ManyRules, RuleOptions } from "./rule-options.ts";
export { sendRefusal } from "./send.ts";
export type { TrustProxy } from "./trusted-proxies.ts";
export { admitUpgrade } from "./upgrade.ts";
export type { PolicyUsage, Usage } from "./usage.ts";
export { sendUsage, type UsageAnswer, usageAnswer } from "./usage-answer.ts";
export type { Gone, Pass, Refusal, Verdict } from "./verdict.ts";
export { holdHeadsOf } from "./write-head.ts";
