import { blankState, type Charge, passes, type Taken } from "@spillway/core";
import type { RedisQueue } from "./redis-queue.ts";

/** What slots are asked by. */
export interface Asked {
  readonly push: RedisQueue["push"];
  /** When a key was asked for a state, where its slot was asked for each key by itself. */
  timeOf(state: Taken["states"][number]): number | undefined;
}

/** What became of charges that lie apart. */
export interface Across {
  readonly taken: Taken;
  /** The time of each charge's slot when it was asked. */
  readonly clocks: readonly number[];
}

/** Asks slots for charges of one request, and writes down what each answered. Charges are called by their places. */
export interface SlotLedger {
  /** Takes charges that share a slot, or looks at them; answers whether the slot lets them pass. */
  ask(places: readonly number[], keep: boolean): Promise<boolean>;
  /** Whether a charge fitted when it was asked for last. */
  fits(place: number): boolean;
  /** Gives back what was taken of some charges, as they were asked for last. */
  giveBack(places: readonly number[]): Promise<unknown>;
  /** Answers what is written down, of charges that all passed. */
  passed(): Across;
  /**
   * Answers what is written down, of charges of which the one in this place decided, in its slot's time. What is not
   * known of others, if it is `degraded`, is shown as new and as fitting.
   */
  refused(place: number, degraded: boolean): Across;
}

/** Makes one that nothing is written in. */
export function slotLedger(charges: readonly Charge[], { push, timeOf }: Asked): SlotLedger {
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
