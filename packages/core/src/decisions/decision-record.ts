import type { View } from "../algorithm.ts";
import type { Decision, PolicyStatus, Reason } from "../decision.ts";
import type { Policy } from "../policy.ts";
import type { Receipt } from "../store.ts";
import { readUnits, type Units } from "../units.ts";

/** What settles the decisions of one limiter. */
export type Settle = (decision: Decision, actual: unknown, req: unknown) => Promise<void>;

/** What a decision says of its binding policy. */
export type Bound = Pick<PolicyStatus, "policy" | "key" | "limit" | "remaining" | "resetAfter">;

/**
 * A class for its private fields: a receipt must travel with a frozen decision, unseen, at no cost per request. Its
 * public fields are only declared: to define each costs more than all the rest. The receipt of a single charge, which
 * few ask for, is made when it is asked for.
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
  /** By what was decided, in the order of the statuses. */
  readonly #by: Policy | readonly Policy[] | undefined;
  /** What may be given back: the receipt of several charges, or the state that a single one left behind. */
  readonly #left: Receipt | readonly number[] | undefined;
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

  /** By what was decided, in the order of the statuses; nothing where this copy of the package has not decided. */
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

/** Finds what a decision of this copy of the package took; undefined where it took nothing. */
export function receiptOf(decision: Decision): Receipt | undefined {
  return DecisionRecord.receiptOf(decision);
}

/** Finds by which policies a decision of this copy of the package was made, in the order of its statuses. */
export function policiesOf(decision: Decision): readonly Policy[] {
  return DecisionRecord.policiesBehind(decision);
}

/** Freezes a record, which is the decision from then on. */
export function sealed(record: DecisionRecord): Decision {
  Object.freeze(record);
  return decisionIn(record);
}

/** The union over `allowed` that users see is what a class cannot say of itself. */
function decisionIn(record: DecisionRecord): Decision {
  return record as unknown as Decision;
}

/** How one policy stands: what a view of it says, beside what was asked. */
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
