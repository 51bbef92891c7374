import type { View } from "../algorithm.ts";
import type { Decision, PolicyStatus, Reason } from "../decision.ts";
import type { Policy } from "../policy.ts";
import type { Receipt } from "../store.ts";
import { readUnits, type Units } from "../units.ts";

/** Settles the decisions of one limiter. */
export type Settle = (decision: Decision, actual: unknown, req: unknown) => Promise<void>;

/** A decision's fields about its binding policy. */
export type Bound = Pick<PolicyStatus, "policy" | "key" | "limit" | "remaining" | "resetAfter">;

/**
 * A decision's data. A class for its private fields: a receipt must travel with a frozen decision, hidden, at no cost
 * per request. Its public fields are only declared, because defining each would cost more than all the rest. The
 * receipt of a single charge is created on demand, which is rare.
 */
export class DecisionRecord {
  declare readonly allowed: boolean;
  declare readonly reason: Reason;
  declare readonly policy: string;
  declare readonly key: string;
  declare readonly limit: number;
  declare readonly remaining: number;
  declare readonly retryAfter: number;
  declare readonly resetAfter: number;
  declare readonly delay: number;
  declare readonly statuses: readonly PolicyStatus[];
  declare readonly degraded: boolean;
  declare readonly shadowed: boolean;
  declare readonly now: number;
  declare detail?: string;
  /** The policies that decided, in the order of the statuses. */
  readonly #by: Policy | readonly Policy[] | undefined;
  /** What can be refunded: the receipt of several charges, or the state that a single one left. */
  readonly #left: Receipt | readonly number[] | undefined;
  readonly #settle: Settle | undefined;
  /** The request passed to `onError` if a settlement fails. */
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
    by?: Policy | readonly Policy[],
    left?: Receipt | readonly number[],
    settle?: Settle,
    req?: unknown,
  ) {
    this.allowed = allowed;
    this.reason = reason;
    this.policy = bound.policy;
    this.key = bound.key;
    this.limit = bound.limit;
    this.remaining = bound.remaining;
    this.retryAfter = retryAfter;
    this.resetAfter = bound.resetAfter;
    this.delay = delay;
    this.statuses = statuses;
    this.degraded = degraded;
    this.shadowed = shadowed;
    this.now = now;
    this.#by = by;
    this.#left = left;
    this.#settle = settle;
    this.#req = req;
  }

  async settle(actual: Units): Promise<void> {
    const settle = this.#settle;
    if (settle) await settle(decisionIn(this), actual, this.#req);
    else readUnits(actual, "actual");
  }

  /** Returns the policies that decided, in the order of the statuses; empty unless this copy of the package decided. */
  static policiesBehind(decision: object): readonly Policy[] {
    if (!(#by in decision) || decision.#by === undefined) return [];
    return [decision.#by].flat();
  }

  static receiptOf(decision: object): Receipt | undefined {
    if (!(#left in decision)) return undefined;
    const left = decision.#left;
    if (!Array.isArray(left)) return left as Receipt | undefined;
    const [{ key, cost }] = decision.statuses as [PolicyStatus];
    const charges = [{ policy: decision.#by as Policy, key, cost }];
    return { charges, now: decision.now, fits: [!decision.shadowed], states: [left] };
  }
}

/** Returns what a decision of this copy of the package took; undefined if nothing. */
export function receiptOf(decision: Decision): Receipt | undefined {
  return DecisionRecord.receiptOf(decision);
}

/** Returns the policies behind a decision of this copy of the package, in the order of its statuses. */
export function policiesBehind(decision: Decision): readonly Policy[] {
  return DecisionRecord.policiesBehind(decision);
}

/** Freezes a record, which then is the decision. */
export function sealed(record: DecisionRecord): Decision {
  Object.freeze(record);
  return decisionIn(record);
}

/** A class cannot express the public type, a union over `allowed`. */
function decisionIn(record: DecisionRecord): Decision {
  return record as unknown as Decision;
}

/** Creates the status of one policy from a view and what was asked. */
export function statusOf(
  policy: Policy,
  key: string,
  cost: number,
  fit: boolean,
  view: View,
): PolicyStatus {
  return Object.freeze({
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
}
