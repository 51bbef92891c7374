import type { Decision } from "../../decision.ts";
import { assert } from "../assert.ts";
import { everyAlgorithm, limiterOn, type StoreTest } from "./fixtures.ts";

/** Tests of requests that cost more or less than they reserved. */
export const settlementTests: readonly StoreTest[] = everyAlgorithm.flatMap(
  ([name, options]): StoreTest[] => [
    [
      `gives back the part of ${name} that a request did not cost`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        const first = await limiter.check("key", { cost: 3 });
        clock.advance(1);
        const second = await limiter.check("key", { cost: 2 });
        await first.settle(1);
        await first.settle(0);
        assert.equal((await limiter.peek("key")).remaining, 2);
        await limiter.settle(second, 1);
        assert.equal((await limiter.peek("key")).remaining, 3);
        await (await limiter.check("other", { cost: 4 })).settle(0);
        const { remaining, resetAfter } = await limiter.peek("other");
        assert.deepEqual([remaining, resetAfter], [5, 0]);
      },
    ],
    [
      `charges what a request cost beyond what it reserved of ${name}, as far as that fits`,
      async (store, clock) => {
        const limiter = limiterOn(store, options);
        await (await limiter.check("key")).settle(3);
        assert.equal((await limiter.peek("key")).remaining, 2);
        clock.advance(1);
        await limiter.settle(await limiter.check("key"), 100);
        const { remaining, retryAfter } = await limiter.peek("key");
        assert.equal(remaining, 0);
        assert.ok(retryAfter > 0);
        clock.advance(retryAfter - 1);
        assert.equal((await limiter.peek("key")).allowed, false);
        clock.advance(1);
        assert.equal((await limiter.check("key")).allowed, true);
      },
    ],
    [
      `settles each charge of ${name} once, whoever asks at the same time`,
      async (store) => {
        const limiter = limiterOn(store, options);
        const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.check("key")));
        const ask = (decision: Decision, i: number): Promise<unknown>[] => [
          decision.settle(i % 2),
          decision.settle(0),
          limiter.settle(decision, 5),
          limiter.give(decision),
        ];
        await Promise.all(decisions.flatMap(ask));
        assert.equal((await limiter.peek("key")).remaining, 3);
      },
    ],
  ],
);
