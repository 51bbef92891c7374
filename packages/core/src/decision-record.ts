import { type Actual, readActual } from "./actual.ts";
import type { View } from "./algorithm.ts";
import type { Decision, PolicyStatus, Reason } from "./decision.ts";
import type { Policy } from "./policy.ts";
import type { Receipt } from "./store.ts";

/** What settles the decisions of one limiter. */
export type Settle = (decision: Decision, actual: unknown, req: unknown) => Promise<void>;

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
  declare readonly detail?: string;
  readonly #receipt: Receipt | undefined;
  /** By what was decided, in the order of the statuses. */
  readonly #policies: readonly Policy[] | undefined;
  /** Of a single charge: by which policy, what it cost, and what it left behind. */
  readonly #policy: Policy | undefined;
  readonly #cost: number;
  readonly #state: readonly number[] | undefined;
  readonly #settle: Settle | undefined;
  /** Whom `onError` is told of where a settlement fails. */
  readonly #req: unknown;

  constructor(
    allowed: boolean,
    reason: Reason,
    policy: string,
    key: string,
    limit: number,
    remaining: number,
    retryAfter: number,
    resetAfter: number,
    delay: number,
    statuses: readonly PolicyStatus[],
    degraded: boolean,
    shadowed: boolean,
    now: number,
    detail: string | undefined,
    receipt: Receipt | undefined,
    policies: readonly Policy[] | undefined,
    single: Policy | undefined,
    cost: number,
    state: readonly number[] | undefined,
    settle: Settle | undefined,
    req: unknown,
  ) {
    this.allowed = allowed;
    this.reason = reason;
    this.policy = policy;
    this.key = key;
    this.limit = limit;
    this.remaining = remaining;
    this.retryAfter = retryAfter;
    this.resetAfter = resetAfter;
    this.delay = delay;
    this.statuses = statuses;
    this.degraded = degraded;
    this.shadowed = shadowed;
    this.now = now;
    this.#receipt = receipt;
    this.#policies = policies;
    this.#policy = single;
    this.#cost = cost;
    this.#state = state;
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

  /** By what was decided, in the order of the statuses; nothing where this copy of the package has not decided. */
  static policiesOf(decision: object): readonly Policy[] {
    if (!(#policies in decision)) return [];
    return decision.#policies ?? (decision.#policy ? [decision.#policy] : []);
  }

  static receiptOf(decision: object): Receipt | undefined {
    if (!(#receipt in decision)) return undefined;
    const policy = decision.#policy;
    if (!policy || !decision.allowed) return decision.#receipt;
    const { key, now, shadowed } = decision;
    const charges = [{ policy, key, cost: decision.#cost }];
    return { charges, now, fits: [!shadowed], states: [decision.#state!] };
  }
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
