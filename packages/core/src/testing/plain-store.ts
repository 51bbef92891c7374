import type { Clock } from "../clock.ts";
import type { Policy } from "../policy.ts";
import { type Charge, passes, type Store, type Taken } from "../store.ts";

/** A store that evicts nothing and can be inspected. */
export interface PlainStore extends Store {
  take(charges: readonly Charge[], keep: boolean): Taken;
  /** Returns the stored keys that have expired. */
  stale(): { readonly policy: Policy; readonly key: string }[];
}

/**
 * Creates a store that keeps one array of numbers per key in a map and evicts nothing: the simplest store, to compare
 * others with.
 */
export function plainStore({ clock }: { readonly clock: Clock }): PlainStore {
  const kept = new Map<string, { policy: Policy; key: string; slots: number[] }>();

  function slotsOf({ policy, key }: Charge, now: number): number[] {
    const { algorithm, params } = policy;
    return kept.get(nameOf(policy, key))?.slots ?? zeros(algorithm.slots(params(now)));
  }

  return {
    take(charges, keep) {
      const now = clock();
      const left = new Map<string, number[]>();
      const tried = charges.map((charge) => {
        const { policy, key, cost } = charge;
        const name = nameOf(policy, key);
        const again = left.has(name);
        const before = left.get(name) ?? [...slotsOf(charge, now)];
        const after = [...before];
        left.set(name, after);
        const fit = policy.algorithm.take(after, now, cost, policy.params(now));
        return { again, before, after, fit };
      });
      const fits = tried.map(({ fit }) => fit);
      const pass = passes(charges, fits);
      const states = charges.map((charge, i) => {
        const { policy, key, cost } = charge;
        const { again, before, after, fit } = tried[i]!;
        const { algorithm } = policy;
        const params = policy.params(now);
        const written = keep && cost > 0 && (pass || policy.countRefused || !fit);
        if (!written) return algorithm.report(before, now, cost, params);
        const slots = slotsOf(charge, now);
        if (again && !fit) algorithm.mark(slots, now, params);
        // What an earlier charge left exists only if that charge was written.
        for (const [j, n] of after.entries()) if (n !== before[j]) slots[j] = n;
        kept.set(nameOf(policy, key), { policy, key, slots });
        return algorithm.report(after, now, cost, params);
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
