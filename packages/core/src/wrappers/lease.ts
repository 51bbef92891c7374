import type { Policy } from "../policy.ts";
import type { Receipt } from "../store.ts";
import { type Answered, isRecent, latest } from "./answered.ts";

/** Units of one key that a single call of the store charged ahead of their use. */
export interface Lease extends Answered {
  readonly policy: Policy;
  readonly key: string;
  /** The state that the call left: the very object that the store returned. */
  readonly left: readonly number[];
  /** When that state has expired, on the store's clock: units charged to it count for nothing from then on. */
  readonly ends: number;
  /** Units that are not yet spent. */
  held: number;
}

/** Names the lease that paid for a charge, on the state that its request is shown. */
const paidBy = Symbol("paidBy");

/** A state as a request is shown it. A property, because a `WeakMap` entry per request costs far more. */
type ShownState = number[] & { [paidBy]?: Lease };

/** Whether a lease's units may still be spent. */
export function isUsable(lease: Lease, local: number, maxAge: number): boolean {
  return isRecent(lease, local, maxAge) && !hasEnded(lease, local);
}

/** Whether a lease's state may have expired. */
export function hasEnded(lease: Lease, local: number): boolean {
  return latest(lease, local) >= lease.ends;
}

/** Returns a copy of a state without the units that are held: what the client has used. */
export function shownState(
  state: readonly number[],
  now: number,
  lease: Lease,
  { algorithm, params }: Policy = lease.policy,
): readonly number[] {
  const copy: ShownState = [...state];
  if (lease.held > 0) algorithm.give(copy, now, lease.held, lease.now, lease.left, params(now));
  copy[paidBy] = lease;
  return copy;
}

/** Returns the lease that paid for a charge which left this state; undefined if the store itself was charged. */
export function payerOf(state: readonly number[]): Lease | undefined {
  return (state as ShownState)[paidBy];
}

/** Returns the receipt that refunds so many units of a lease. */
export function receiptFrom({ policy, key, now, left }: Lease, units: number): Receipt {
  return { charges: [{ policy, key, cost: units }], now, fits: [true], states: [left] };
}
