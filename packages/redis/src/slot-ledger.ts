import { blankState, type Charge, passes, type Taken } from "@spillway/core";
import type { RedisQueue } from "./redis-queue.ts";

/** What a ledger asks slots with. */
export interface LedgerDeps {
  readonly push: RedisQueue["push"];
  /** Returns when a state's key was read, if its slot was asked for each key separately. */
  timeOf(state: Taken["states"][number]): number | undefined;
}

/** The outcome of charges in several slots. */
export interface Across {
  readonly taken: Taken;
  /** The time of each charge's slot when it was asked. */
  readonly clocks: readonly number[];
}

/** Asks slots for charges of one request, and records the answers. Charges are identified by their indexes. */
export interface SlotLedger {
  /** Takes charges that share a slot, or only looks. Returns whether the slot lets them pass. */
  ask(places: readonly number[], keep: boolean): Promise<boolean>;
  /** Whether a charge fitted when last asked. */
  fits(place: number): boolean;
  /** Gives back what was taken of some charges when last asked. */
  giveBack(places: readonly number[]): Promise<unknown>;
  /** Returns the outcome of charges that all passed. */
  passed(): Across;
  /**
   * Returns the outcome of charges refused by the one at `place`, as of its slot's time. Other charges without an
   * answer, if the outcome is `degraded`, are shown as new and fitting.
   */
  refused(place: number, degraded: boolean): Across;
}

/** Creates an empty ledger. */
export function slotLedger(charges: readonly Charge[], { push, timeOf }: LedgerDeps): SlotLedger {
  const fits: boolean[] = [];
  const states: (readonly number[])[] = [];
  const clocks: number[] = [];

  function give(i: number): Promise<unknown> {
    return push({ type: "give", charge: charges[i]!, at: clocks[i]!, left: states[i]! });
  }

  return {
    async ask(places, keep) {
      const asked = places.map((i) => charges[i]!);
      const taken = (await push({ type: "take", charges: asked, keep }))!;
      places.forEach((i, j) => {
        fits[i] = taken.fits[j]!;
        states[i] = taken.states[j]!;
        clocks[i] = timeOf(states[i]!) ?? taken.now;
      });
      return passes(asked, taken.fits);
    },

    fits: (i) => fits[i] === true,

    giveBack(places) {
      const taken = places.filter((i) => fits[i] && charges[i]!.cost > 0);
      return Promise.all(taken.map(give));
    },

    passed: () => ({ taken: { now: Math.max(...clocks), fits, states }, clocks }),

    refused(place, degraded) {
      const now = clocks[place]!;
      charges.forEach(({ policy, cost }, i) => {
        if (states[i]) return;
        const { algorithm } = policy;
        const params = policy.params(now);
        fits[i] = true;
        clocks[i] = now;
        states[i] = algorithm.report(blankState(algorithm, params), now, cost, params);
      });
      return { taken: { now, fits, states, ...(degraded && { degraded }) }, clocks };
    },
  };
}
