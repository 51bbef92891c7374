import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Clock,
  createLimiter,
  type Decision,
  denyCache,
  fallbackStore,
  type Limiter,
  leasedStore,
  memoryStore,
  type Store,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { type NamedPolicy, policies, type Step, step } from "./stories.ts";

type Wrap = (store: Store) => Store;

/** Stores made of leases around one that answers at once. */
const compositions: Readonly<Record<string, (store: Store, leased: Wrap, clock: Clock) => Store>> =
  {
    "leases on a store": (store, leased) => leased(store),
    "leases on a distant store": (store, leased) => leased(distant(store)),
    "a deny cache on leases": (store, leased, clock) => denyCache(leased(store), { clock }),
    "leases on a deny cache": (store, leased, clock) => leased(denyCache(store, { clock })),
    "a fallback from leases": (store, leased, clock) => fallbackStore(leased(store), { clock }),
    "leases on what has a fallback": (store, leased, clock) =>
      leased(fallbackStore(store, { clock })),
    "leases on leases": (store, leased) => leased(leased(store)),
  };

describe("while time stands still, a limiter decides as on a plain store, with", () => {
  it.each(Object.keys(compositions))("%s", async (name) => {
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(
        policies,
        fc.array(step, { minLength: 30, maxLength: 80 }),
        fc.constantFrom(0.05, 0.3, 1),
        fc.constantFrom(1, 2, 10_000),
        async (options, steps, share, maxKeys) => {
          const clock = manualClock();
          const [plain, backing] = [counted(clock), counted(clock)];
          const opened: Store[] = [];
          const leased = (store: Store): Store => {
            const made = leasedStore(store, { clock, share, maxKeys });
            opened.unshift(made);
            return made;
          };
          const store = compositions[name]!(backing.store, leased, clock);
          await happen(steps, options, plain.store, store);
          for (const one of opened) await one.close!();
          expect(await left(options, backing.store)).toEqual(await left(options, plain.store));
          spared += Math.max(0, plain.taken - backing.taken);
        },
      ),
      { seed: 12, numRuns: 16 },
    );
    expect(spared).toBeGreaterThan(50);
  });
});

/** Lets the same happen to a limiter on each store, and compares all that they tell. */
async function happen(
  steps: readonly Step[],
  options: readonly NamedPolicy[],
  ...stores: [plain: Store, leased: Store]
): Promise<void> {
  const create = (more: object): [Limiter, Limiter] => {
    const policies = options.map((one, i) => (i === 0 ? { ...one, ...more } : one));
    const [plain, leased] = stores.map((store) => createLimiter({ policies, store, onError }));
    return [plain!, leased!];
  };
  let [plain, leased] = create({});
  let decisions: [Decision, Decision][] = [];
  for (const step of steps) {
    if (step.do === "check") {
      const { key, cost } = step;
      for (let i = 0; i < step.times; i++) {
        const [truth, told] = [await plain.check(key, { cost }), await leased.check(key, { cost })];
        expect(told).toEqual({ ...truth });
        decisions.push([truth, told]);
      }
    } else if (step.do === "peek") {
      const { key, cost } = step;
      expect(await leased.peek(key, { cost })).toEqual({ ...(await plain.peek(key, { cost })) });
    } else if (step.do === "reset") {
      await plain.reset(step.key);
      await leased.reset(step.key);
      decisions = decisions.filter(([{ key }]) => key !== step.key);
    } else if (step.do === "resize") {
      const { limit, window } = step;
      [plain, leased] = create({ limit, ...(options[0]!.window === "day" ? {} : { window }) });
    } else {
      const both = decisions[step.nth % Math.max(1, decisions.length)];
      if (!both) continue;
      if (step.do === "settle") for (const decision of both) await decision.settle(step.to);
      else {
        await plain.give(both[0]);
        await leased.give(both[1]);
      }
    }
  }
}

/** Returns what each key has left of each policy. */
async function left(options: readonly NamedPolicy[], store: Store) {
  const limiter = createLimiter({ policies: options, store });
  const statuses = [];
  for (const key of ["a", "b"]) statuses.push(...(await limiter.peek(key)).statuses);
  return statuses;
}

/** A memory store that counts what it is asked to take. */
function counted(clock: Clock) {
  const inner = memoryStore({ clock });
  const counted = {
    taken: 0,
    store: {
      ...inner,
      take(charges, keep) {
        counted.taken++;
        return inner.take(charges, keep);
      },
    } satisfies Store as Store,
  };
  return counted;
}

function distant(store: Store): Store {
  return {
    take: async (charges, keep) => store.take(charges, keep),
    give: async (receipt) => store.give(receipt),
    reset: async (policy, key) => store.reset(policy, key),
  };
}

function onError(error: unknown): never {
  throw error;
}
