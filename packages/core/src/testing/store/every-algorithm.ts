import assert from "node:assert/strict";
import { everyAlgorithm, limiterOn, type StoreTest, window } from "./fixtures.ts";

/** What a store must keep of every algorithm. */
export const everyAlgorithmTests: readonly StoreTest[] = everyAlgorithm.flatMap(
  ([name, options]): StoreTest[] => [
    [
      `admits exactly the limit of ${name} out of a thousand requests at once`,
      async (store) => {
        const limiter = limiterOn(store, options);
        const asked = Array.from({ length: 1000 }, () => limiter.check("key"));
        const decisions = await Promise.all(asked);
        const left = decisions.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
        assert.deepEqual(left.sort(), [0, 1, 2, 3, 4]);
      },
    ],
    [
      `keeps the promises of ${name} to the millisecond`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        await limiter.check("key", { cost: 4 });
        clock.advance(window / 8);
        await limiter.check("key");
        for (let i = 0; i < 12; i++) {
          const refused = await limiter.check("key", { cost: 2 });
          assert.equal(refused.allowed, false);
          clock.advance(refused.retryAfter - 1);
          assert.equal((await limiter.peek("key", { cost: 2 })).allowed, false);
          clock.advance(1);
          assert.equal((await limiter.check("key", { cost: 2 })).allowed, true);
          const { remaining } = await limiter.peek("key");
          await limiter.check("key", { cost: remaining });
        }
        const { resetAfter } = await limiter.peek("key");
        clock.advance(resetAfter);
        assert.equal((await limiter.peek("key")).resetAfter, 0);
        assert.equal((await limiter.check("key", { cost: 5 })).allowed, true);
      },
    ],
    [
      `gives back what was taken of ${name}`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        const first = await limiter.check("key", { cost: 3 });
        clock.advance(1);
        const second = await limiter.check("key", { cost: 2 });
        await limiter.give(first);
        await limiter.give(first);
        assert.equal((await limiter.peek("key")).remaining, 3);
        await limiter.give(second);
        assert.equal((await limiter.peek("key")).remaining, 5);
        assert.equal((await limiter.peek("key")).resetAfter, 0);
      },
    ],
    [
      `gives nothing of ${name} back when its time is over, nor to a key that was forgotten`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        const late = await limiter.check("key", { cost: 3 });
        clock.advance(4 * window * 6);
        await limiter.check("key", { cost: 2 });
        await limiter.give(late);
        assert.equal((await limiter.peek("key")).remaining, 3);
        const gone = await limiter.check("gone");
        await limiter.reset("gone");
        await limiter.give(gone);
        const { remaining, resetAfter } = await limiter.peek("gone");
        assert.deepEqual([remaining, resetAfter], [5, 0]);
      },
    ],
  ],
);
