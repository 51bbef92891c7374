import type { Actual } from "./actual.ts";
import type { Ban } from "./ban.ts";
import { DecisionRecord, type Settle, statusOf } from "./decision-record.ts";
import type { Policy } from "./policy.ts";
import { type Charge, passes, type Receipt, type Taken, type TakenOne } from "./store.ts";

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
  /** Milliseconds until the same request passes if nobody else asks; 0 when allowed, `Infinity` when never. */
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
  settle(actual: Actual): Promise<void>;
}

export interface Allowed extends Outcome {
  readonly allowed: true;
  readonly reason: "ok" | "skipped" | "store-unavailable";
}

export interface Refused extends Outcome {
  readonly allowed: false;
  readonly reason: "limited" | "cost-exceeds-limit" | "blocked" | "store-unavailable";
}

/** What a limiter decided: a frozen snapshot. */
export type Decision = Allowed | Refused;

/** Explains what a store answered. */
export function decisionOf(
  charges: readonly Charge[],
  taken: Taken,
  kept: boolean,
  settle?: Settle,
  req?: unknown,
): Decision {
  const { now, fits, states, policies } = taken;
  const allowed = passes(charges, fits);
  // As long as it will be: one that grows is given room for sixteen more.
  const statuses = new Array<PolicyStatus>(charges.length);
  let binding = 0;
  let delay = 0;
  let longest = 0;
  let shadowed = false;
  for (let i = 0; i < charges.length; i++) {
    const { key, cost } = charges[i]!;
    const policy = policies?.[i] ?? charges[i]!.policy;
    const view = policy.algorithm.view(states[i]!, now, cost, policy.params(now));
    const fit = fits[i]!;
    if (!fit && policy.shadow) shadowed = true;
    if (allowed && cost > 0 && !policy.shadow) {
      // A look put nothing into the queue: it is told how long the queue is.
      const held = kept ? view : policy.algorithm.view(states[i]!, now, 0, policy.params(now));
      if (held.delay > delay) delay = held.delay;
    }
    // Also of a policy that fitted, but counts refusals and was charged for this one.
    if (!policy.shadow && view.retryAfter > longest) longest = view.retryAfter;
    statuses[i] = statusOf(policy, key, cost, fit, view);
    if (i > 0 && binds(statuses[i]!, statuses[binding]!, allowed)) binding = i;
  }
  const bound = statuses[binding]!;
  const decision = recordOf(
    allowed,
    allowed ? "ok" : reasonOf(bound.blocked, bound.retryAfter),
    bound,
    allowed ? 0 : longest,
    delay,
    Object.freeze(statuses) as readonly PolicyStatus[],
    taken.degraded === true,
    shadowed,
    now,
    undefined,
    kept && allowed ? { charges, now, fits, states } : undefined,
    settle,
    req,
  );
  if (decision.reason === "blocked") {
    noteBan(decision, policies?.[binding] ?? charges[binding]!.policy);
  }
  return decision;
}

/** Explains what a store answered to a single charge that was kept: what `decisionOf` would say, with less made. */
export function decisionOfOne(
  policy: Policy,
  key: string,
  cost: number,
  { now, fit, state }: TakenOne,
  settle: Settle,
  req: unknown,
): Decision {
  const view = policy.algorithm.view(state, now, cost, policy.params(now));
  const { shadow } = policy;
  const allowed = fit || shadow;
  const decision = new DecisionRecord(
    allowed,
    allowed ? "ok" : reasonOf(view.blocked === true, view.retryAfter),
    policy.name,
    key,
    policy.limit,
    view.remaining,
    allowed ? 0 : view.retryAfter,
    view.resetAfter,
    allowed && !shadow && cost > 0 ? view.delay : 0,
    Object.freeze([statusOf(policy, key, cost, fit, view)]),
    false,
    !fit && shadow,
    now,
    undefined,
    undefined,
    policy,
    cost,
    state,
    settle,
    req,
  ) as unknown as Decision;
  if (decision.reason === "blocked") noteBan(decision, policy);
  return decision;
}

function reasonOf(blocked: boolean, retryAfter: number): Refused["reason"] {
  if (blocked) return "blocked";
  return retryAfter === Infinity ? "cost-exceeds-limit" : "limited";
}

const bans = new WeakMap<Decision, Ban>();

function noteBan(decision: Decision, { ban }: Policy): void {
  if (ban) bans.set(decision, ban);
}

/** Finds the ban by which a decision of this copy of the package is blocked. */
export function banOfDecision(decision: Decision): Ban | undefined {
  return bans.get(decision);
}

/** What a decision says of its binding policy. */
type Bound = Pick<PolicyStatus, "policy" | "key" | "limit" | "remaining" | "resetAfter">;

/** Decides without a store: a request that is exempt or denied, or a store that could not answer. */
export function decisionWithout(
  reason: "skipped" | "blocked" | "store-unavailable",
  allowed: boolean,
  policy: string,
  key: string,
  limit: number,
  detail?: string,
): Decision {
  const bound = { policy, key, limit, remaining: allowed ? limit : 0, resetAfter: 0 };
  const wait = reason === "blocked" ? Infinity : 0;
  const degraded = reason === "store-unavailable";
  return recordOf(allowed, reason, bound, wait, 0, none, degraded, false, 0, detail);
}

const none: readonly PolicyStatus[] = Object.freeze([]);

function recordOf(
  allowed: boolean,
  reason: Reason,
  { policy, key, limit, remaining, resetAfter }: Bound,
  retryAfter: number,
  delay: number,
  statuses: readonly PolicyStatus[],
  degraded: boolean,
  shadowed: boolean,
  now: number,
  detail?: string,
  receipt?: Receipt,
  settle?: Settle,
  req?: unknown,
): Decision {
  return new DecisionRecord(
    allowed,
    reason,
    policy,
    key,
    limit,
    remaining,
    retryAfter,
    resetAfter,
    delay,
    statuses,
    degraded,
    shadowed,
    now,
    detail,
    receipt,
    undefined,
    0,
    undefined,
    settle,
    req,
  ) as unknown as Decision;
}

/** Finds what a decision of this copy of the package took; undefined where it took nothing. */
export function receiptOf(decision: Decision): Receipt | undefined {
  return DecisionRecord.receiptOf(decision);
}

/** Whether `a` describes the request better than `b`. Policies in shadow mode never describe it if another can. */
export function binds(a: PolicyStatus, b: PolicyStatus, allowed: boolean): boolean {
  if (a.shadow !== b.shadow) return b.shadow;
  if (allowed) return a.remaining < b.remaining;
  if (a.allowed !== b.allowed) return b.allowed;
  return a.retryAfter > b.retryAfter;
}
