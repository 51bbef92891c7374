import type { Units } from "./units.ts";

/** Why a request passed or not. */
export type Reason =
  | "ok"
  | "limited"
  | "cost-exceeds-limit"
  | "blocked"
  | "skipped"
  | "store-unavailable";

/** How one policy of a decision stands; times in milliseconds. */
export interface PolicyStatus {
  readonly policy: string;
  readonly key: string;
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  readonly cost: number;
  /** Whether this policy alone had let the request pass. */
  readonly allowed: boolean;
  /** Whether it only reports. */
  readonly shadow: boolean;
  /** Whether a ban of this policy runs. */
  readonly blocked: boolean;
  readonly remaining: number;
  readonly retryAfter: number;
  readonly resetAfter: number;
}

interface Outcome {
  /** The binding policy: of a refusal the one that refuses longest, else the one with the least remaining. */
  readonly policy: string;
  readonly key: string;
  readonly limit: number;
  /** Whole units, 0..limit. */
  readonly remaining: number;
  /**
   * Milliseconds until the same request passes if nobody else asks; 0 when allowed and where the store could not
   * answer, `Infinity` when never.
   */
  readonly retryAfter: number;
  /** Milliseconds until the key is as good as never used. */
  readonly resetAfter: number;
  /** Milliseconds to hold an admitted request: leaky buckets only. */
  readonly delay: number;
  /** Every policy that was asked, in the order of the options. */
  readonly statuses: readonly PolicyStatus[];
  /** True where the store could not answer, or answered from less than the whole. */
  readonly degraded: boolean;
  /** True where a policy in shadow mode would have refused. */
  readonly shadowed: boolean;
  /** What the list that decided says about it; left out where no list did. */
  readonly detail?: string;
  /** The store's clock at the decision, milliseconds since the epoch; 0 where no store was asked. */
  readonly now: number;
  /**
   * Puts what the request really cost in place of what it was charged, in every policy or in those that are named:
   * gives the difference back, or charges what is missing, as far as that fits. Each charge is settled once; nothing
   * happens where nothing was taken. A store that fails is told to `onError`. Rejects with a `ConfigError` for a cost
   * that is none.
   */
  settle(actual: Units): Promise<void>;
}

/** A request that may pass. */
export interface Allowed extends Outcome {
  readonly allowed: true;
  readonly reason: "ok" | "skipped" | "store-unavailable";
}

/** A request that may not pass. */
export interface Refused extends Outcome {
  readonly allowed: false;
  readonly reason: "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable";
}

/** What a limiter decided: a frozen snapshot. */
export type Decision = Allowed | Refused;

/** Whether a store that could not answer is all that was decided on. */
export function isOutage({ reason }: Decision): boolean {
  return reason === "store-unavailable";
}

/** Whether a list denies a request: no policy was asked. */
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
