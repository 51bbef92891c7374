export type {
  Algorithm,
  BanTerms,
  Params,
  SettingProblem,
  Settings,
  SlotKind,
  Slots,
  View,
} from "./algorithm.ts";
export {
  type AlgorithmName,
  algorithms,
  banningAlgorithms,
} from "./algorithms/index.ts";
export { blankState } from "./blank-state.ts";
export { type Clock, systemClock, wholeClock } from "./clock.ts";
export type { Allowed, Decision, PolicyStatus, Reason, Refused } from "./decision.ts";
export type { Duration } from "./duration.ts";
export { ConfigError, type ConfigIssue, received, StoreError } from "./errors.ts";
export { type CheckOptions, createLimiter, type Limiter } from "./limiter.ts";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./memory-store.ts";
export type { FallbackStoreOptions } from "./options/fallback-options.ts";
export type { LeasedStoreOptions } from "./options/leased-options.ts";
export type { LimiterOptions, SharedOptions } from "./options/limiter-options.ts";
export type { PolicyOptions, TierOptions } from "./options/policy-options.ts";
export type { Ban, BanOptions } from "./policies/ban.ts";
export type { CalendarUnit } from "./policies/calendar.ts";
export { defaultPolicyName, maxPolicyName } from "./policies/policy-name.ts";
export type { PolicySource } from "./policies/policy-source.ts";
export { countersOf, createPolicy, type Policy, type PolicySettings } from "./policy.ts";
export { RateLimitError } from "./rate-limit-error.ts";
export { type Charge, passes, type Receipt, type Store, type Taken } from "./store.ts";
export type { Units } from "./units.ts";
export { type DenyCacheOptions, denyCache } from "./wrappers/deny-cache.ts";
export { fallbackStore } from "./wrappers/fallback-store.ts";
export { type LeasedStore, leasedStore } from "./wrappers/leased-store.ts";
