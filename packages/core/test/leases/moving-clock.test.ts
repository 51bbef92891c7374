import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLimiter,
  type Limiter,
  leasedStore,
  memoryStore,
  type PolicyOptions,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

const key = fc.constantFrom("a", "b");
const cost = fc.integer({ min: 1, max: 9 });
const check = fc.record({
  do: fc.constant("check" as const),
  key,
  cost: fc.oneof({ weight: 8, arbitrary: cost }, fc.constant(0), fc.integer({ min: 10, max: 60 })),
  times: fc.constantFrom(1, 4, 20),
});
const step = fc.oneof(
  { weight: 8, arbitrary: check },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.oneof(fc.nat(20), fc.nat(300), fc.nat(1500)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("peek" as const), key, cost }) },
);
const steps = fc.array(step, { minLength: 50, maxLength: 150 });
const shares = fc.constantFrom(0.1, 0.5, 1);
const limits = fc.constantFrom(40, 100, 400);
const ages = fc.constantFrom(50, 1000);

interface Lease {
  readonly share: number;
  readonly maxAge: number;
}

/** Returns two limiters on one clock, on a plain store and with leases. */
function both(
  options: PolicyOptions,
  lease: Lease,
): Record<"plain" | "leased", Limiter> & {
  advance(ms: number): void;
} {
  const clock = manualClock();
  const [plain, leased] = [memoryStore({ clock }), memoryStore({ clock })];
  return {
    advance: clock.advance,
    plain: createLimiter({ ...options, store: plain }),
    leased: createLimiter({ ...options, store: leasedStore(leased, { clock, ...lease }) }),
  };
}

describe("while time passes, one process with leases", () => {
  it.each(["clock", "first-request"] as const)(
    "decides as on a plain store, by a fixed window aligned to the %s",
    async (align) => {
      await fc.assert(
        fc.asyncProperty(steps, shares, limits, ages, async (plan, share, limit, maxAge) => {
          const options = { limit, window: 1000, algorithm: "fixed-window", align } as const;
          const { plain, leased, advance } = both(options, { share, maxAge });
          for (const step of plan) {
            if (step.do === "pass") advance(step.ms);
            else {
              const { do: ask, key, cost } = step;
              for (let i = 0; i < (step.do === "check" ? step.times : 1); i++) {
                const told = await leased[ask](key, { cost });
                expect(told).toEqual({ ...(await plain[ask](key, { cost })) });
              }
            }
          }
        }),
        { numRuns: 25 },
      );
    },
  );

  it.each([
    ["sliding-window", {}],
    ["sliding-window", { segments: 4 }],
    ["token-bucket", {}],
    ["token-bucket", { burst: 30 }],
    ["token-bucket", { burst: 500 }],
  ] as const)("refuses only what a plain %s refuses, for as long, with %j", async (name, more) => {
    await fc.assert(
      fc.asyncProperty(steps, shares, limits, ages, async (plan, share, limit, maxAge) => {
        const options = { limit, window: 1000, algorithm: name, ...more } as const;
        const { plain, leased, advance } = both(options, { share, maxAge });
        for (const step of plan) {
          if (step.do === "pass") advance(step.ms);
          if (step.do !== "check") continue;
          const { key, cost } = step;
          for (let i = 0; i < step.times; i++) {
            const told = await leased.check(key, { cost });
            if (told.allowed) {
              // From here on the plain store has other counts.
              if (!(await plain.check(key, { cost })).allowed) return;
              continue;
            }
            const truth = await plain.peek(key, { cost });
            expect(truth.allowed).toBe(false);
            expect(told.retryAfter).toBeLessThanOrEqual(truth.retryAfter);
            expect(told.remaining).toBeGreaterThanOrEqual(truth.remaining);
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
