import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLimiter, leasedStore, memoryStore, type Store } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

const window = 1000;
const limit = 60;
const share = 0.2;
const servers = 3;

/** A server asks for a cost after some time, on one of two keys. */
const steps = fc.array(
  fc.record({
    server: fc.nat(servers - 1),
    cost: fc.integer({ min: 1, max: 3 }),
    /** Mostly at once, now and then much later. */
    after: fc.oneof({ weight: 8, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(1500) }),
    refunds: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
  }),
  { minLength: 200, maxLength: 400 },
);

interface Admission {
  readonly at: number;
  readonly units: number;
}

/** Returns what the servers admitted together, each by leases on one store. */
async function admissions(
  algorithm: "fixed-window" | "sliding-window" | "token-bucket",
  plan: typeof steps extends fc.Arbitrary<infer Plan> ? Plan : never,
): Promise<{ admitted: Admission[]; close(): Promise<number> }> {
  const clock = manualClock();
  const shared = memoryStore({ clock });
  const distant: Store = { ...shared, take: async (...call) => shared.take(...call) };
  const size = { name: "p", limit, window, algorithm };
  const stores = Array.from({ length: servers }, (_, i) =>
    // Each with a clock of its own, which started at another time.
    leasedStore(distant, { clock: () => clock() + i * 777, share, maxAge: 500 }),
  );
  const limiters = stores.map((store) => createLimiter({ ...size, store }));
  const admitted: Admission[] = [];
  for (const { server, cost, after, refunds } of plan) {
    clock.advance(after);
    const limiter = limiters[server]!;
    const decision = await limiter.check("k", { cost });
    if (!decision.allowed) continue;
    if (refunds) await limiter.give(decision);
    else admitted.push({ at: clock(), units: cost });
  }
  return {
    admitted,
    async close() {
      await Promise.all(stores.map((store) => store.close!()));
      return (await createLimiter({ ...size, store: shared }).peek("k")).remaining;
    },
  };
}

/** Returns the most that was admitted in any interval of so many milliseconds, ends included. */
function mostIn(admitted: readonly Admission[], length: number): number {
  return Math.max(
    0,
    ...admitted.map(({ at: from }) =>
      unitsOf(admitted.filter(({ at }) => at >= from && at <= from + length)),
    ),
  );
}

function unitsOf(admitted: readonly Admission[]): number {
  return admitted.reduce((sum, { units }) => sum + units, 0);
}

describe("what servers admit that charge in advance", () => {
  it("is never more than the limit in a fixed window", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const { admitted } = await admissions("fixed-window", plan);
        const numbers = new Set(admitted.map(({ at }) => Math.floor(at / window)));
        const windows = [...numbers].map((n) =>
          admitted.filter(({ at }) => Math.floor(at / window) === n),
        );
        for (const one of windows) expect(unitsOf(one)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 60 },
    );
  });

  const held = servers * share * limit;
  it.each([
    ["sliding-window", 2 * limit + held],
    ["token-bucket", limit + limit + held],
  ] as const)("is in no interval more than a %s admits and what they held", async (name, most) => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const { admitted } = await admissions(name, plan);
        expect(mostIn(admitted, window)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 60 },
    );
  });

  it.each(["fixed-window", "sliding-window", "token-bucket"] as const)(
    "is what a %s was charged, to the unit, once they close",
    async (algorithm) => {
      await fc.assert(
        fc.asyncProperty(steps, async (plan) => {
          const still = plan.map((step) => ({ ...step, after: 0 }));
          const { admitted, close } = await admissions(algorithm, still);
          expect(await close()).toBe(limit - unitsOf(admitted));
        }),
        { numRuns: 60 },
      );
    },
  );
});
