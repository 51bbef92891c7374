import type { Clock } from "../clock.ts";
import type { Policy } from "../policy.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";

/** A store that forgets nothing, and can be looked into. */
export interface PlainStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Taken;
  /** The keys that are as good as new and still remembered. */
  stale(): { readonly policy: Policy; readonly key: string }[];
}

/** Keeps one list of numbers per key in a map and forgets nothing: the shortest store, to measure others against. */
export function plainStore({ clock }: { readonly clock: Clock }): PlainStore {
  const kept = new Map<string, { policy: Policy; key: string; slots: number[] }>();

  function slotsOf({ policy, key }: Charge, now: number): number[] {
    const { algorithm, params } = policy;
    return kept.get(nameOf(policy, key))?.slots ?? zeros(algorithm.slots(params(now)));
  }

  return {
    take(charges, keep) {
      const now = clock();
      const fits = charges.map((charge) => {
        const { policy, cost } = charge;
        return policy.algorithm.take([...slotsOf(charge, now)], now, cost, policy.params(now));
      });
      const pass = passes(charges, fits);
      const states = charges.map((charge, i) => {
        const { policy, key, cost } = charge;
        const params = policy.params(now);
        const slots = slotsOf(charge, now);
        if (keep && cost > 0 && (pass || policy.countRefused || !fits[i])) {
          policy.algorithm.take(slots, now, cost, params);
          kept.set(nameOf(policy, key), { policy, key, slots });
        }
        return policy.algorithm.report(slots, now, cost, params);
      });
      return { now, fits, states };
    },

    give({ charges, now: at, fits, states }) {
      const now = clock();
      for (const [i, charge] of charges.entries()) {
        const { policy, cost } = charge;
        const params = policy.params(now);
        if (fits[i]) policy.algorithm.give(slotsOf(charge, now), now, cost, at, states[i]!, params);
      }
    },

    reset(policy, key) {
      kept.delete(nameOf(policy, key));
    },

    stale() {
      const now = clock();
      return [...kept.values()].filter(
        ({ policy, slots }) => policy.algorithm.expires(slots, policy.params(now)) <= now,
      );
    },
  };
}

function nameOf({ kind, space }: Policy, key: string): string {
  return JSON.stringify([kind, space, key]);
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}
