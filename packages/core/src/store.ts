import { countersOf, type Policy } from "./policy.ts";

/** One thing that a request must pay for. */
export interface Charge {
  readonly policy: Policy;
  /** Whose allowance; not empty. */
  readonly key: string;
  /** Whole units, 0 or more; 0 looks and never charges. */
  readonly cost: number;
}

/** Names the counter that a charge is of, within a store. */
export function counterOf({ policy, key }: Pick<Charge, "policy" | "key">): string {
  return `${countersOf(policy)}\n${key}`;
}

/** What a store answers: `fits[i]` and `states[i]` belong to charge i. */
export interface Taken {
  /** The store's clock, milliseconds since the epoch. */
  readonly now: number;
  readonly fits: readonly boolean[];
  /** What each charge left behind, as the algorithm's `report` copies it. */
  readonly states: readonly (readonly number[])[];
  /** True where the answer came from less than the whole: a fallback, a share, a guess. */
  readonly degraded?: boolean;
  /** The policies that decided, where they are not the charges' own: a share of each, say. */
  readonly policies?: readonly Policy[];
}

/** What became of a single charge. */
export interface TakenOne {
  readonly now: number;
  readonly fit: boolean;
  readonly state: readonly number[];
}

/**
 * What was taken at which time, so that it can be given back: all the charges of a `take`, or those of them that are
 * to be given back. Each state is the very one that the store answered.
 */
export interface Receipt extends Pick<Taken, "now" | "fits" | "states"> {
  readonly charges: readonly Charge[];
}

/** The part of a receipt that is wanted, charge by charge. */
export function partOf(
  { now, charges, fits, states }: Receipt,
  wanted: readonly boolean[],
): Receipt {
  const of = <T>(values: readonly T[]): T[] => values.filter((_, i) => wanted[i]);
  return { now, charges: of(charges), fits: of(fits), states: of(states) };
}

/**
 * Owns the clock and the memory. Charges of shadow policies never keep the others from being taken; charges of
 * policies that count refusals are written even when the request is refused.
 */
export interface Store {
  /**
   * Takes every charge at one instant, or none; with `keep` false it only looks. Answers in place where it can, so
   * that no promise is made for memory. Rejects or throws where it cannot answer.
   */
  take(charges: readonly Charge[], keep: boolean): Taken | Promise<Taken>;
  /** Gives back what a receipt took. Rejects or throws where it cannot. */
  give(receipt: Receipt): void | Promise<void>;
  /** Forgets one key of a policy. Rejects or throws where it cannot. */
  reset(policy: Policy, key: string): void | Promise<void>;
  /** Frees what the store holds; may be called twice. */
  close?(): void | Promise<void>;
  /** What the store's keys live in, where several store objects share it (one Redis client, say). */
  readonly place?: object;
}

/** Tells whether a request may pass, and with it which of its charges are written. */
export function passes(charges: readonly Charge[], fits: readonly boolean[]): boolean {
  for (let i = 0; i < charges.length; i++) {
    if (!fits[i] && !charges[i]!.policy.shadow) return false;
  }
  return true;
}

/** Whether a request that passes or not leaves this charge behind: a refusal too may be counted, or mark a clock. */
export function isCharged(policy: Policy, cost: number, fit: boolean, pass: boolean): boolean {
  return cost > 0 && (pass || policy.countRefused || !fit);
}

/** Whether a charge is kept of a key never seen: no refusal makes one, except where a ban has to remember it. */
export function makesKey(policy: Policy, fit: boolean): boolean {
  return fit || policy.ban !== undefined;
}
