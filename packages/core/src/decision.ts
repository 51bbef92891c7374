import { type Actual, readActual } from "./actual.ts";
import type { Ban } from "./ban.ts";
import type { Charge, Receipt, Taken } from "./store.ts";
import { passes } from "./store.ts";

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

/** What settles the decisions of one limiter. */
export type Settle = (decision: Decision, actual: unknown, req: unknown) => Promise<void>;

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
    statuses[i] = Object.freeze({
      policy: policy.name,
      key,
      limit: policy.limit,
      window: policy.window,
      cost,
      allowed: fit,
      shadow: policy.shadow,
      blocked: view.blocked === true,
      remaining: view.remaining,
      retryAfter: fit ? 0 : view.retryAfter,
      resetAfter: view.resetAfter,
    });
    if (i > 0 && binds(statuses[i]!, statuses[binding]!, allowed)) binding = i;
  }
  const bound = statuses[binding]!;
  const decision = new DecisionRecord(
    allowed,
    allowed ? "ok" : reasonOf(bound),
    bound,
    allowed ? 0 : longest,
    delay,
    Object.freeze(statuses) as readonly PolicyStatus[],
    taken.degraded === true,
    shadowed,
    now,
    kept && allowed ? charges : undefined,
    taken,
    undefined,
    settle,
    req,
  ) as unknown as Decision;
  if (decision.reason === "blocked") {
    const { ban } = policies?.[binding] ?? charges[binding]!.policy;
    if (ban) bans.set(decision, ban);
  }
  return decision;
}

function reasonOf({ blocked, retryAfter }: PolicyStatus): Refused["reason"] {
  if (blocked) return "blocked";
  return retryAfter === Infinity ? "cost-exceeds-limit" : "limited";
}

const bans = new WeakMap<Decision, Ban>();

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
  const degraded = reason === "store-unavailable";
  return new DecisionRecord(
    allowed,
    reason,
    bound,
    reason === "blocked" ? Infinity : 0,
    0,
    none,
    degraded,
    false,
    0,
    undefined,
    undefined,
    detail,
  ) as unknown as Decision;
}

const none: readonly PolicyStatus[] = Object.freeze([]);

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

/**
 * A class for its private field: a receipt must travel with a frozen decision, unseen, at no cost
 * per request. Its public fields are only declared: to define each costs more than all the rest.
 */
class DecisionRecord {
  declare readonly allowed: boolean;
  declare readonly policy: string;
  declare readonly key: string;
  declare readonly limit: number;
  declare readonly remaining: number;
  declare readonly retryAfter: number;
  declare readonly resetAfter: number;
  declare readonly delay: number;
  declare readonly reason: Reason;
  declare readonly statuses: readonly PolicyStatus[];
  declare readonly degraded: boolean;
  declare readonly shadowed: boolean;
  declare readonly detail?: string;
  declare readonly now: number;
  /** What was taken, and for which charges; made into a receipt only where somebody asks for it. */
  readonly #charges: readonly Charge[] | undefined;
  readonly #taken: Taken | undefined;
  readonly #settle: Settle | undefined;
  /** Whom `onError` is told of where a settlement fails. */
  readonly #req: unknown;

  constructor(
    allowed: boolean,
    reason: Reason,
    bound: Bound,
    retryAfter: number,
    delay: number,
    statuses: readonly PolicyStatus[],
    degraded: boolean,
    shadowed: boolean,
    now: number,
    charges: readonly Charge[] | undefined,
    taken: Taken | undefined,
    detail?: string,
    settle?: Settle,
    req?: unknown,
  ) {
    this.allowed = allowed;
    this.policy = bound.policy;
    this.key = bound.key;
    this.limit = bound.limit;
    this.remaining = bound.remaining;
    this.retryAfter = retryAfter;
    this.resetAfter = bound.resetAfter;
    this.delay = delay;
    this.reason = reason;
    this.statuses = statuses;
    this.degraded = degraded;
    this.shadowed = shadowed;
    this.now = now;
    this.#charges = charges;
    this.#taken = taken;
    this.#settle = settle;
    this.#req = req;
    if (detail !== undefined) this.detail = detail;
    Object.freeze(this);
  }

  async settle(actual: Actual): Promise<void> {
    const settle = this.#settle;
    if (settle) await settle(this as unknown as Decision, actual, this.#req);
    else readActual(actual);
  }

  static receiptOf(decision: object): Receipt | undefined {
    if (!(#charges in decision)) return undefined;
    const { now, fits, states } = decision.#taken ?? { now: 0, fits: [], states: [] };
    return decision.#charges && { charges: decision.#charges, now, fits, states };
  }
}
