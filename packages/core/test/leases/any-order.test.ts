import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leasedStore, memoryStore, passes, type Receipt, type Taken } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";
import { policyOf } from "../properties/specimens.ts";
import { network, promisesRun } from "./network.ts";
import { noUnhandledRejections } from "./unhandled-rejections.ts";

const window = 1000;
const servers = 3;
const largestCost = 4;

const server = fc.nat(servers - 1);
const nth = fc.nat(50);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      server,
      cost: fc.integer({ min: 1, max: largestCost }),
      times: fc.integer({ min: 1, max: 8 }),
      /** Whether each request is charged to a counter of its own too. */
      isDouble: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.oneof({ weight: 5, arbitrary: fc.nat(5) }, fc.nat(400), fc.nat(1200)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      nth,
      isLost: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const), server }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refund" as const), nth: fc.nat(500) }) },
);
const steps = fc.array(step, { minLength: 60, maxLength: 250 });
const limits = fc.constantFrom(30, 60, 200);
const ages = fc.constantFrom(100, 500, 5000);

type Plan = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

interface Admission {
  /** The store's clock. */
  readonly at: number;
  readonly units: number;
  readonly receipt: Receipt;
}

interface Setting {
  readonly algorithm: "fixed-window" | "sliding-window" | "token-bucket";
  readonly limit: number;
  readonly share: number;
  readonly maxAge: number;
}

/** Returns what all servers admitted and did not refund. */
async function admissions(
  plan: Plan,
  { algorithm, limit, share, maxAge }: Setting,
): Promise<readonly Admission[]> {
  const clock = manualClock();
  const net = network(memoryStore({ clock }));
  const policy = policyOf({ name: "all", space: "all", algorithm, limit, window });
  const one = policyOf({ space: "one", algorithm: "fixed-window", limit: 9, window: 3_600_000 });
  const stores = Array.from({ length: servers }, (_, i) =>
    leasedStore(net.store, { clock: () => clock() + i * 777, share, maxAge }),
  );
  const admitted = new Set<Admission>();
  const pending: unknown[] = [];
  let asked = 0;
  const ask = (server: number, cost: number, isDouble: boolean): void => {
    const charge = { policy, key: "k", cost };
    const charges = isDouble ? [charge, { policy: one, key: `${asked++}`, cost: 1 }] : [charge];
    const note = (taken: Taken): void => {
      if (!passes(charges, taken.fits)) return;
      admitted.add({ at: taken.now, units: cost, receipt: { ...taken, charges } });
    };
    const taken = stores[server]!.take(charges, true);
    // What is paid from a lease is admitted now, whatever the store's clock is thought to be.
    if (!(taken instanceof Promise)) note({ ...taken, now: clock() });
    else pending.push(taken.then(note, () => {}));
  };
  for (const step of plan) {
    if (step.do === "ask") {
      for (let i = 0; i < step.times; i++) ask(step.server, step.cost, step.isDouble);
    } else if (step.do === "pass") clock.advance(step.ms);
    else if (step.do === "deliver") for (let i = 0; i < 4; i++) net.deliver(step.nth);
    else if (step.do === "answer") for (let i = 0; i < 4; i++) net.answer(step.nth, step.isLost);
    else if (step.do === "close") pending.push(stores[step.server]!.close!());
    else {
      const admission = [...admitted][step.nth % Math.max(1, admitted.size)];
      if (!admission) continue;
      admitted.delete(admission);
      // Any server may refund.
      pending.push(Promise.resolve(stores[0]!.give(admission.receipt)).catch(() => {}));
    }
    await promisesRun();
  }
  await net.settle();
  await Promise.all(pending);
  return [...admitted];
}

function unitsOf(admitted: readonly Admission[]): number {
  return admitted.reduce((sum, { units }) => sum + units, 0);
}

describe("where requests and answers are late, overtake each other or are lost", () => {
  noUnhandledRejections();

  it("no fixed window admits more than its limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom(0.1, 0.5, 1),
        limits,
        ages,
        async (plan, share, limit, maxAge) => {
          const setting = { algorithm: "fixed-window", limit, share, maxAge } as const;
          const units = new Map<number, number>();
          for (const { at, units: more } of await admissions(plan, setting)) {
            const number = Math.floor(at / window);
            units.set(number, (units.get(number) ?? 0) + more);
          }
          expect(Math.max(0, ...units.values())).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 120 },
    );
  });

  it.each(["sliding-window", "token-bucket"] as const)(
    "no interval admits more than a %s does, and what was held",
    async (algorithm) => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.constantFrom(0.1, 0.5),
          limits,
          ages,
          async (plan, share, limit, maxAge) => {
            const admitted = await admissions(plan, { algorithm, limit, share, maxAge });
            const most = 2 * limit + servers * (share * limit + largestCost);
            for (const { at: from } of admitted) {
              const within = admitted.filter(({ at }) => at >= from && at < from + window);
              expect(unitsOf(within)).toBeLessThanOrEqual(most);
            }
          },
        ),
        { numRuns: 80 },
      );
    },
  );
});
