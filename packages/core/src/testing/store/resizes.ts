import { createLimiter } from "../../limiter.ts";
import type { LimiterOptions } from "../../options/limiter-options.ts";
import { assert } from "../assert.ts";
import { everyAlgorithm, type StoreTest, window } from "./fixtures.ts";

type Options = (typeof everyAlgorithm)[number][1];

/** Tests of keys whose limit or window changes. */
export const resizeTests: readonly StoreTest[] = everyAlgorithm.flatMap(
  ([name, options]): StoreTest[] => {
    const limiterOn = (store: LimiterOptions["store"]) =>
      createLimiter({ ...options, tiers: tiersOf(options), name: "resized", store } as never);
    return [
      [
        `counts what was used of ${name} under another limit, and under the first again`,
        async (store) => {
          const limiter = limiterOn(store);
          const left = async (tier?: string): Promise<number> =>
            (await limiter.peek("key", { tier })).remaining;
          await limiter.check("key", { cost: 3 });
          assert.deepEqual([await left(), await left("more"), await left("less")], [2, 6, 0]);
          assert.equal((await limiter.check("key", { tier: "less" })).allowed, false);
          assert.equal((await limiter.check("key", { tier: "more", cost: 2 })).remaining, 4);
          assert.deepEqual([await left(), await left("more"), await left("less")], [0, 4, 0]);
          assert.equal((await limiter.check("key")).allowed, false);
          assert.equal((await limiter.check("key", { tier: "more", cost: 4 })).allowed, true);
          assert.deepEqual([await left(), await left("more"), await left("less")], [0, 0, 0]);
        },
      ],
      [
        `counts what was used of ${name} over another time, and over the first again`,
        async (store) => {
          const limiter = limiterOn(store);
          for (const tier of ["longer", "shorter"]) {
            await limiter.check(tier, { cost: 2 });
            assert.equal((await limiter.check(tier, { tier })).remaining, 2);
            assert.equal((await limiter.check(tier)).remaining, 1);
            assert.equal((await limiter.check(tier, { tier })).remaining, 0);
            for (const one of [undefined, tier]) {
              assert.equal((await limiter.check(tier, { tier: one })).allowed, false);
            }
          }
        },
      ],
      [
        `keeps its promises where the size of ${name} changes`,
        async (store, clock) => {
          const limiter = limiterOn(store);
          for (const [from, to] of [
            ["more", undefined],
            [undefined, "less"],
            [undefined, "longer"],
            [undefined, "shorter"],
            ["shorter", "more"],
          ]) {
            const key = `${from} to ${to}`;
            const { remaining } = await limiter.peek(key, { tier: from });
            await limiter.check(key, { tier: from, cost: remaining });
            const ask = { tier: to, cost: (await limiter.peek(key, { tier: to })).remaining + 1 };
            const { allowed, retryAfter } = await limiter.check(key, ask);
            assert.equal(allowed, false, key);
            clock.advance(retryAfter - 1);
            assert.equal((await limiter.check(key, ask)).allowed, false, key);
            clock.advance(1);
            assert.equal((await limiter.check(key, ask)).allowed, true, key);
          }
        },
      ],
    ];
  },
);

/** Returns sizes other than one that admits 5 at once. */
function tiersOf({ algorithm = "sliding-window", window: length }: Options): object {
  const calendar = length === "day";
  const bucket = algorithm.endsWith("bucket");
  return {
    more: bucket ? { limit: 18, burst: 9 } : { limit: 9 },
    less: bucket ? { limit: 3, burst: 2 } : { limit: 2 },
    longer: { window: calendar ? "month" : 2 * window },
    shorter: { window: calendar ? window : window / 2 },
  };
}
