import { banOf } from "../../policies/ban.ts";
import type { PolicySettings } from "../../policy.ts";
import { assert } from "../assert.ts";
import { charge, everyAlgorithm, limiterOn, policy, type StoreTest, window } from "./fixtures.ts";

const ban = { after: 2, within: window, for: window * 4, factor: 2, ceiling: window * 6 } as const;

/** Tests of the state of policies with bans. */
export const banTests: readonly StoreTest[] = [
  ...everyAlgorithm.map(
    ([name, options]): StoreTest => [
      `blocks a key that ${name} refused too often, and for longer the next time`,
      async (store, clock) => {
        const limiter = limiterOn(store, { ...options, ban });
        await limiter.check("key", { cost: 5 });
        for (const lasts of [4, 6, 6]) {
          assert.equal((await limiter.check("key")).reason, "limited");
          for (let i = 0; i < 3; i++) {
            const { reason, remaining, retryAfter } = await limiter.check("key");
            assert.deepEqual([reason, remaining], ["blocked", 0]);
            assert.ok(retryAfter >= lasts * window, `${retryAfter}`);
          }
          const { retryAfter } = await limiter.peek("key", { cost: 0 });
          assert.equal(retryAfter, lasts * window);
          assert.equal((await limiter.peek("other")).allowed, true);
          clock.advance(retryAfter - 1);
          assert.equal((await limiter.check("key")).reason, "blocked");
          clock.advance(1 + (await limiter.peek("key")).retryAfter);
          assert.equal((await limiter.check("key", { cost: 5 })).allowed, true);
        }
        await limiter.reset("key");
        assert.equal((await limiter.check("key", { cost: 5 })).allowed, true);
      },
    ],
  ),
  [
    "keeps the first refusals of a key where they are counted, and none of a look",
    async (store) => {
      for (const [, options] of everyAlgorithm) {
        const limiter = limiterOn(store, { ...options, ban });
        for (let i = 0; i < 3; i++) await limiter.peek("key", { cost: 6 });
        assert.equal((await limiter.check("key", { cost: 6 })).reason, "cost-exceeds-limit");
        assert.equal((await limiter.check("key", { cost: 6 })).reason, "blocked");
      }
    },
  ],
  [
    "takes what is tried, heeds a ban, and counts no refusal",
    async (store) => {
      for (const [name, options] of everyAlgorithm) {
        const lasting = { ...ban, after: 1, extend: true };
        const strict = {
          ...options,
          name: `tried by ${name}`,
          countRefused: true,
        } as PolicySettings;
        const real = charge(policy({ ...strict, ban: banOf(lasting) }));
        const tried = { ...real, policy: real.policy.trying() };
        const stateOf = async () => (await store.take([real], false)).states[0];
        for (let i = 0; i < 5; i++)
          assert.deepEqual((await store.take([tried], true)).fits, [true]);
        const spent = await stateOf();
        for (let i = 0; i < 3; i++) {
          assert.deepEqual((await store.take([tried], true)).fits, [false]);
          assert.deepEqual(await stateOf(), spent);
        }
        assert.deepEqual((await store.take([real], true)).fits, [false]);
        const banned = await stateOf();
        assert.notDeepEqual(banned, spent);
        assert.deepEqual((await store.take([tried], true)).fits, [false]);
        assert.deepEqual(await stateOf(), banned);
      }
    },
  ],
  [
    "counts refusals of the policy that refuses, and of no other",
    async (store) => {
      const strict = banOf({ for: window });
      const banning = policy({ name: "banning", limit: 3, ban: strict });
      const shadow = policy({ name: "shadow", limit: 1, ban: strict, shadow: true });
      const tight = policy({ name: "tight", limit: 2 });
      const all = [charge(banning), charge(shadow), charge(tight)];
      for (const fits of [
        [true, true, true],
        [true, false, true],
        [true, false, false],
        [true, false, false],
      ]) {
        assert.deepEqual((await store.take(all, true)).fits, fits);
      }
      assert.deepEqual((await store.take([charge(banning)], true)).fits, [true]);
      const { states, now } = await store.take(all.slice(0, 2), false);
      const views = [banning, shadow].map(({ algorithm, params }, i) =>
        algorithm.view(states[i]!, now, 1, params(now)),
      );
      assert.deepEqual(
        views.map(({ blocked }) => blocked === true),
        [false, true],
      );
    },
  ],
  [
    "keeps the promise of a ban while the clock steps back",
    async (store, clock) => {
      for (const [i, [name, options]] of everyAlgorithm.entries()) {
        if (options.window === "day") continue;
        const limiter = limiterOn(store, { ...options, ban: { for: window } });
        await limiter.check(`key ${i}`, { cost: 5 });
        await limiter.check(`key ${i}`);
        clock.advance(-10 * window);
        const refused = await limiter.check(`key ${i}`);
        assert.equal(refused.reason, "blocked", name);
        assert.ok(refused.retryAfter <= 2 * window, name);
        clock.advance(refused.retryAfter);
        assert.equal((await limiter.check(`key ${i}`)).allowed, true, name);
      }
    },
  ],
  [
    "gives back what was taken, and lifts no ban with it",
    async (store, clock) => {
      for (const [, options] of everyAlgorithm) {
        const limiter = limiterOn(store, { ...options, ban: { for: window } });
        const first = await limiter.check("key", { cost: 5 });
        await limiter.check("key");
        await limiter.give(first);
        assert.equal((await limiter.check("key")).reason, "blocked");
        clock.advance(window);
        assert.equal((await limiter.check("key", { cost: 5 })).allowed, true);
      }
    },
  ],
];
