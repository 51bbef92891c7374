import { assert } from "../assert.ts";
import { limiterOn, type StoreTest, window } from "./fixtures.ts";

/** Tests of a store that holds at most three keys when more come. */
export const boundedTests: readonly StoreTest[] = [
  [
    "goes on when more keys come than it remembers",
    async (store) => {
      const limiter = limiterOn(store, { limit: 2, window });
      for (const key of ["a", "a", "b", "c", "d", "e", "a"]) await limiter.check(key);
      for (let i = 0; i < 1000; i++) {
        assert.equal((await limiter.check(`key ${(i * 7919) % 500}`)).allowed, true);
      }
    },
  ],
  [
    "forgets what has most left, and an exhausted key last",
    async (store) => {
      const limiter = limiterOn(store, { limit: 3, window });
      await limiter.check("exhausted", { cost: 3 });
      await limiter.check("nearly", { cost: 2 });
      for (let i = 0; i < 100; i++) await limiter.check(`passing ${i}`);
      assert.equal((await limiter.peek("exhausted")).remaining, 0);
      assert.equal((await limiter.peek("nearly")).remaining, 1);
    },
  ],
  [
    "forgets what is as good as new before anything else",
    async (store, clock) => {
      const brief = limiterOn(store, { algorithm: "fixed-window", limit: 1, window: 1000 });
      const long = limiterOn(store, { algorithm: "fixed-window", limit: 9, window });
      await long.check("key");
      for (let i = 0; i < 100; i++) {
        await brief.check(`brief ${i}`);
        clock.advance(1000);
      }
      assert.equal((await long.peek("key")).remaining, 8);
    },
  ],
];
