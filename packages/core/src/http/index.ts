export type { Action, Challenge, ChallengeAnswer } from "./action.ts";
export type { ProxyHeader } from "./address/proxy-header.ts";
export type { TrustProxy } from "./address/trusted-proxies.ts";
export { admitThen } from "./admit-then.ts";
export { failureOf } from "./failure.ts";
export { type Framework, isEveryMethod } from "./framework.ts";
export { createGuard, type Guard } from "./guard.ts";
export type { HeaderChoice } from "./headers/header-choice.ts";
export type {
  DialectHeader,
  DialectTime,
  DialectValue,
  HeaderDialect,
} from "./headers/header-dialect.ts";
export { type DialectName, headerDialects } from "./headers/header-dialects.ts";
export type { HeaderStyle } from "./headers/header-style.ts";
export { lowerCaseName } from "./headers/lower-case-name.ts";
export { misleads } from "./headers/misleading-fields.ts";
export { type ApiKeyOptions, apiKey } from "./identity/api-key.ts";
export { cookie, query, userAgent } from "./identity/characteristics.ts";
export { claimsOf } from "./identity/claims-of.ts";
export type { Extractor, Identity, KeyFunction, KeyOption } from "./identity/extractor.ts";
export { extractor } from "./identity/extractor.ts";
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
} from "./identity/extractors.ts";
export type { ExtractorsOf } from "./identity/extractors-of.ts";
export { keyOf } from "./identity/key-of.ts";
export type { Listed, ListedOptions } from "./identity/list-entry.ts";
export type { Match, MatchOptions } from "./match/match-options.ts";
export { misplaced } from "./misplaced.ts";
export type { HttpBanOptions } from "./options/http-ban-options.ts";
export {
  type HttpOptions,
  type HttpSharedOptions,
  policyOptionsOf,
  type SourcedPolicies,
} from "./options/http-options.ts";
export type { HttpPolicyOptions } from "./options/http-policy-options.ts";
export { type NameRegistry, nameRegistry } from "./options/name-registry.ts";
export { inheritsNoPolicy, overridden } from "./options/override.ts";
export type { ManyRules, RuleOptions } from "./options/rule-options.ts";
export type { Outcomes, StatusClass } from "./outcomes.ts";
export { preflight } from "./preflight.ts";
export type { TrustProxyOption } from "./request-address.ts";
export type { RequestContext } from "./request-context.ts";
export { latestDecision } from "./request-state.ts";
export type { Body } from "./response/body.ts";
export { isHeadSent } from "./response/head-sent.ts";
export { sendRefusal } from "./response/send.ts";
export { holdHeadsOf } from "./response/write-head.ts";
export { admitUpgrade } from "./upgrade.ts";
export type { PolicyUsage, Usage } from "./usage.ts";
export { sendUsage, type UsageAnswer, usageAnswer } from "./usage-answer.ts";
export type { Gone, Pass, Refusal, Verdict } from "./verdict.ts";
