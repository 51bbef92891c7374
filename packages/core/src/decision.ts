import type { Units } from "./units.ts";

/** Why a request passed or not. */
export type Reason =
  | "ok"
  | "limited"
  | "cost-exceeds-limit"
  | "blocked"
  | "skipped"
  | "store-unavailable";

/** The result for one policy of a decision; times in milliseconds. */
export interface PolicyStatus {
  readonly policy: string;
  readonly key: string;
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  readonly cost: number;
  /** Whether this policy alone would have admitted the request. */
  readonly allowed: boolean;
  /** Whether the policy only reports. */
  readonly shadow: boolean;
  /** Whether a ban of this policy is active. */
  readonly blocked: boolean;
  readonly remaining: number;
  readonly retryAfter: number;
  readonly resetAfter: number;
}

interface DecisionFields {
  /** The binding policy: for a refusal the one that refuses longest, otherwise the one with the least remaining. */
  readonly policy: string;
  readonly key: string;
  readonly limit: number;
  /** Whole units, 0..limit. */
  readonly remaining: number;
  /**
   * Milliseconds until the same request passes, barring other requests; 0 when allowed or when the store could not
   * answer, `Infinity` when never.
   */
  readonly retryAfter: number;
  /** Milliseconds until the key is as if never used. */
  readonly resetAfter: number;
  /** Milliseconds to hold an admitted request; leaky buckets only. */
  readonly delay: number;
  /** Every policy that was checked, in the order of the options. */
  readonly statuses: readonly PolicyStatus[];
  /** True when the store could not answer, or answered on incomplete data. */
  readonly degraded: boolean;
  /** True when a policy in shadow mode would have refused. */
  readonly shadowed: boolean;
  /** The detail given by the list that decided; absent if none did. */
  readonly detail?: string;
  /** The store's clock at the decision, milliseconds since the epoch; 0 when no store was asked. */
  readonly now: number;
  /**
   * Replaces the charged cost with the actual one, in every policy or the named ones: refunds the difference, or
   * charges the excess as far as it fits. Each charge is settled once; does nothing if nothing was taken. Store
   * failures go to `onError`; rejects with a `ConfigError` for an invalid cost.
   */
  settle(this: Decision, actual: Units): Promise<void>;
}

/** A request that may pass. */
export interface Allowed extends DecisionFields {
  readonly allowed: true;
  readonly reason: "ok" | "skipped" | "store-unavailable";
}

/** A request that may not pass. */
export interface Refused extends DecisionFields {
  readonly allowed: false;
  readonly reason: "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable";
}

/** A limiter's decision: a frozen snapshot. */
export type Decision = Allowed | Refused;

/** Whether the decision was made only because the store could not answer. */
export function isOutage({ reason }: Decision): boolean {
  return reason === "store-unavailable";
}

/** Whether a list denied the request, so that no policy was checked. */
export function isDenial({ reason, statuses }: Decision): boolean {
  return reason === "blocked" && statuses.length === 0;
}

/** Whether `a` describes the request better than `b`. Policies in shadow mode never describe it if another can. */
export function binds(a: PolicyStatus, b: PolicyStatus, allowed: boolean): boolean {
  if (a.shadow !== b.shadow) return b.shadow;
  if (allowed) return a.remaining < b.remaining;
  if (a.allowed !== b.allowed) return b.allowed;
  return a.retryAfter > b.retryAfter;
}
