import type { Policy } from "../policy.ts";
import type { Receipt } from "../store.ts";
import { type Answered, isRecent, latest } from "./answered.ts";

/** What one call charged to one key. */
export interface Grant {
  readonly policy: Policy;
  readonly key: string;
  /** The store's clock when it was charged. */
  readonly now: number;
  /** The state that the call left: the very object that the store returned. */
  readonly left: readonly number[];
}

/** A grant of which some units were charged in advance. */
export interface Lease extends Grant, Answered {
  /** When its state has expired, on the store's clock: its units count for nothing from then on. */
  readonly ends: number;
  /** Units that are not yet spent. */
  held: number;
  /** The latest state that is known, and the store's clock then: others charge too, and refunds reduce it. */
  seen: number[];
  seenAt: number;
}

/** Whether a lease's units may still be spent. */
export function isUsable(lease: Lease, local: number, maxAge: number): boolean {
  return isRecent(lease, local, maxAge) && latest(lease, local) < lease.ends;
}

/** Which grant paid for a charge, and how many units of the grant were for later ones. */
const paidBy = Symbol("paidBy");
const later = Symbol("later");

/** A state as a request is shown it. Has properties, because a `WeakMap` entry per request costs far more. */
type ShownState = number[] & { [paidBy]?: Grant; [later]?: number };

/** Returns a copy of a state without the units that a lease holds: what the client has used. */
export function withoutHeld(state: readonly number[], now: number, lease: Lease): number[] {
  const copy = [...state];
  if (lease.held > 0) giveTo(copy, now, lease.held, lease, lease.left);
  return copy;
}

/** Tags a state with the grant that paid for its charge, and how much of it was for later charges; returns the state. */
export function tagPaidBy(state: number[], grant: Grant, forLater = 0): readonly number[] {
  const shown: ShownState = state;
  shown[paidBy] = grant;
  shown[later] = forLater;
  return shown;
}

/** Returns the receipt that refunds units which a grant paid, by the state shown then; undefined for any other state. */
export function refundOf(state: readonly number[], units: number): Receipt | undefined {
  const { [paidBy]: grant, [later]: forLater = 0 } = state as ShownState;
  return grant && receiptFrom(grant, units, forLater);
}

/**
 * Returns the receipt that refunds units of a grant, of which so many were for later charges: they count as charged
 * after these units.
 */
export function receiptFrom(grant: Grant, units: number, forLater = 0): Receipt {
  const { policy, key, now, left } = grant;
  let state = left;
  if (forLater > 0) {
    const before = [...left];
    giveTo(before, now, forLater, grant, left);
    state = before;
  }
  return { charges: [{ policy, key, cost: units }], now, fits: [true], states: [state] };
}

/** Takes units of a grant out of a state. */
export function giveTo(
  state: number[],
  now: number,
  units: number,
  { policy, now: at }: Grant,
  left: readonly number[],
): void {
  policy.algorithm.give(state, now, units, at, left, policy.params(now));
}
