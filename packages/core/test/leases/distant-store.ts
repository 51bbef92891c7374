import { type Charge, memoryStore, type Store, type Taken } from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing/index.ts";

/** A memory store that answers by promise, as over a network, and tells what it is asked. */
export interface DistantStore {
  readonly clock: ManualClock;
  readonly store: Store;
  /** The memory store itself. */
  readonly inner: Store;
  readonly calls: { taken: number; given: number; units: number[]; refunds: number[] };
  /** What `take` does instead of asking; undefined: nothing, it asks. */
  instead: ((charges: readonly Charge[]) => Taken | Promise<Taken> | undefined) | undefined;
}

export function distantStore(clock: ManualClock = manualClock()): DistantStore {
  const inner = memoryStore({ clock });
  const calls: DistantStore["calls"] = { taken: 0, given: 0, units: [], refunds: [] };
  const distant: DistantStore = {
    clock,
    inner,
    calls,
    instead: undefined,
    store: {
      ...inner,
      async take(charges, keep) {
        calls.taken++;
        calls.units.push(...charges.map(({ cost }) => cost));
        return distant.instead?.(charges) ?? inner.take(charges, keep);
      },
      async give(receipt) {
        calls.given++;
        calls.refunds.push(...receipt.charges.map(({ cost }) => cost));
        await inner.give(receipt);
      },
      reset: async (policy, key) => inner.reset(policy, key),
    },
  };
  return distant;
}
