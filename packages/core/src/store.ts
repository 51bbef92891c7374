import { countersOf, type Policy } from "./policy.ts";

/** One charge of a request. */
export interface Charge {
  readonly policy: Policy;
  /** Whose allowance is charged; not empty. */
  readonly key: string;
  /** Whole units, 0 or more; 0 only looks. */
  readonly cost: number;
}

/** Returns the name of a charge's counter within a store. */
export function counterOf({ policy, key }: Pick<Charge, "policy" | "key">): string {
  return `${countersOf(policy)}\n${key}`;
}

/** A store's result: `fits[i]` and `states[i]` belong to charge i. */
export interface Taken {
  /** The store's clock, milliseconds since the epoch. */
  readonly now: number;
  readonly fits: readonly boolean[];
  /** The state each charge left, as copied by the algorithm's `report`. */
  readonly states: readonly (readonly number[])[];
  /** True when decided on incomplete data: by a fallback, a share, a guess. */
  readonly degraded?: boolean;
  /** The policies that decided, if not those of the charges: a share of each, for example. */
  readonly policies?: readonly Policy[];
}

/** The result of a single charge. */
export interface TakenOne {
  readonly now: number;
  readonly fit: boolean;
  readonly state: readonly number[];
}

/**
 * What was taken and when, for a refund: all charges of a `take`, or those to refund. Each state is the very object
 * that the store returned.
 */
export interface Receipt extends Pick<Taken, "now" | "fits" | "states"> {
  readonly charges: readonly Charge[];
}

/** Returns a receipt of the wanted charges only. */
export function partOf(
  { now, charges, fits, states }: Receipt,
  wanted: readonly boolean[],
): Receipt {
  const of = <T>(values: readonly T[]): T[] => values.filter((_, i) => wanted[i]);
  return { now, charges: of(charges), fits: of(fits), states: of(states) };
}

/**
 * Owns the clock and the counters. Charges of shadow policies never prevent the others; charges of policies that count
 * refusals are written even when the request is refused.
 */
export interface Store {
  /**
   * Takes every charge at one instant, or none; with `keep` false it only looks. Returns synchronously where it can, so
   * that the memory store needs no promise. Rejects or throws when it cannot answer.
   */
  take(charges: readonly Charge[], keep: boolean): Taken | Promise<Taken>;
  /** Refunds what a receipt took. Rejects or throws when it cannot. */
  give(receipt: Receipt): void | Promise<void>;
  /** Deletes one key of a policy. Rejects or throws when it cannot. */
  reset(policy: Policy, key: string): void | Promise<void>;
  /** Releases what the store holds; may be called twice. */
  close?(): void | Promise<void>;
  /** Where the keys live, if several store objects share it (one Redis client, for example). */
  readonly place?: object;
}

/** Whether a request may pass, which also decides which of its charges are written. */
export function passes(charges: readonly Charge[], fits: readonly boolean[]): boolean {
  for (let i = 0; i < charges.length; i++) {
    if (!fits[i] && !charges[i]!.policy.shadow) return false;
  }
  return true;
}

/**
 * Whether a charge is written, given whether the request passes: a refusal too may be counted, or record that the clock
 * stepped back.
 */
export function isCharged(policy: Policy, cost: number, fit: boolean, pass: boolean): boolean {
  return cost > 0 && (pass || policy.countRefused || !fit);
}

/** Whether a charge on an unknown key creates the key: a refusal does not, except when a ban must remember it. */
export function makesKey(policy: Policy, fit: boolean): boolean {
  return fit || policy.ban !== undefined;
}
