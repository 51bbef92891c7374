import type { Decision } from "../../decision.ts";
import { banOf } from "../../policies/ban.ts";
import { assert } from "../assert.ts";
import { rows } from "../rows.ts";
import {
  charge,
  everyAlgorithm,
  limiterOn,
  policy,
  remainingOf,
  type StoreTest,
  window,
} from "./fixtures.ts";

/** Tests of what a store must do with any algorithm. */
export const ruleTests: readonly StoreTest[] = [
  [
    "counts one key row by row",
    async (store, clock) => {
      const limiter = limiterOn(store, { algorithm: "fixed-window", limit: 5, window });
      await rows(limiter, clock, [
        [0, 1, true, 4, 0, window],
        [1000, 0, true, 4, 0, window - 1000],
        [1000, 6, false, 4, Infinity],
        [2000, 3, true, 1],
        [3000, 2, false, 1, window - 3000],
        [4000, 1, true, 0, 0],
        [window - 1, 1, false, 0, 1, 1],
        [window, 5, true, 0, 0, window],
      ]);
    },
  ],
  [
    "takes all charges of a request, or none",
    async (store) => {
      const [few, many] = [policy({ name: "few", limit: 1 }), policy({ name: "many", limit: 9 })];
      const both = [charge(few), charge(many)];
      assert.deepEqual((await store.take(both, true)).fits, [true, true]);
      assert.deepEqual((await store.take(both, true)).fits, [false, true]);
      assert.deepEqual((await store.take([...both].reverse(), true)).fits, [true, false]);
      assert.equal(await remainingOf(store, many), 8);
      assert.equal(await remainingOf(store, few), 0);
    },
  ],
  [
    "looks without charging, and without making a key",
    async (store) => {
      const limiter = limiterOn(store, { limit: 5, window });
      for (let i = 0; i < 9; i++) assert.equal((await limiter.peek("key")).remaining, 5);
      await limiter.check("key", { cost: 2 });
      for (let i = 0; i < 9; i++)
        assert.equal((await limiter.peek("key", { cost: 4 })).remaining, 3);
      assert.equal((await limiter.check("key")).remaining, 2);
    },
  ],
  [
    "charges nothing for a cost of 0, and never fits a cost above the limit",
    async (store) => {
      const limiter = limiterOn(store, { limit: 5, window });
      assert.equal((await limiter.check("key", { cost: 0 })).resetAfter, 0);
      const never = await limiter.check("key", { cost: 6 });
      assert.deepEqual([never.reason, never.retryAfter], ["cost-exceeds-limit", Infinity]);
      assert.equal((await limiter.check("key", { cost: 5 })).remaining, 0);
      assert.equal((await limiter.check("key", { cost: 0 })).allowed, true);
    },
  ],
  [
    "refuses everything where the limit is 0",
    async (store) => {
      for (const [, options] of everyAlgorithm) {
        const { burst: _, ...rest } = options;
        const limiter = limiterOn(store, { ...rest, limit: 0 });
        const { allowed, limit, remaining } = await limiter.check("key");
        assert.deepEqual([allowed, limit, remaining], [false, 0, 0]);
      }
    },
  ],
  [
    "lets a shadow policy report, and neither refuse nor hold others back",
    async (store) => {
      const shadow = policy({ name: "shadow", limit: 1, shadow: true });
      const real = policy({ name: "real", limit: 3 });
      const both = [charge(shadow), charge(real)];
      assert.deepEqual((await store.take(both, true)).fits, [true, true]);
      assert.deepEqual((await store.take(both, true)).fits, [false, true]);
      assert.deepEqual((await store.take(both, true)).fits, [false, true]);
      assert.deepEqual((await store.take(both, true)).fits, [false, false]);
      assert.equal(await remainingOf(store, real), 0);
    },
  ],
  [
    "charges refused requests where a policy counts them, and only there",
    async (store) => {
      const counting = policy({ name: "counting", limit: 4, countRefused: true });
      const plain = policy({ name: "plain", limit: 2 });
      const both = [charge(counting), charge(plain)];
      for (let i = 0; i < 3; i++) await store.take(both, true);
      assert.equal(await remainingOf(store, counting), 1);
      assert.equal(await remainingOf(store, plain), 0);
      await store.take([charge(counting, "key", 3)], true);
      assert.equal(await remainingOf(store, counting), 0);
      await store.take([charge(counting, "other"), charge(plain)], false);
      assert.equal(await remainingOf(store, counting, "other"), 4);
    },
  ],
  [
    "charges a key as often as a request names it, also where refusals count, or are only told",
    async (store) => {
      const counting = policy({ name: "counting", limit: 3, countRefused: true });
      const shadow = policy({ name: "shadow", limit: 3, shadow: true });
      const banning = policy({ name: "banning", limit: 3, ban: banOf({ for: window }) });
      for (const [each, left] of [
        [counting, 0],
        [shadow, 1],
        [banning, 0],
      ] as const) {
        const twice = [charge(each, "key", 2), charge(each, "key", 2)];
        assert.deepEqual((await store.take(twice, false)).fits, [true, false]);
        assert.equal(await remainingOf(store, each), 3);
        assert.deepEqual((await store.take(twice, true)).fits, [true, false]);
        assert.equal(await remainingOf(store, each), left, each.name);
      }
    },
  ],
  [
    "forgets one key of one policy",
    async (store) => {
      const [one, two] = [policy({ name: "one" }), policy({ name: "two" })];
      for (const key of ["a", "b"]) await store.take([charge(one, key), charge(two, key)], true);
      await store.reset(one, "a");
      await store.reset(one, "never seen");
      const left = [remainingOf(store, one, "a"), remainingOf(store, one, "b")];
      assert.deepEqual(await Promise.all(left), [5, 4]);
      assert.equal(await remainingOf(store, two, "a"), 4);
    },
  ],
  [
    "follows a limit that changes, with what was used",
    async (store) => {
      for (const algorithm of [
        "sliding-window",
        "fixed-window",
        "sliding-log",
        "token-bucket",
      ] as const) {
        const of = (limit: number) => policy({ name: "live", algorithm, limit });
        await store.take([charge(of(10), "key", 6)], true);
        assert.equal(await remainingOf(store, of(10)), 4);
        assert.equal(await remainingOf(store, of(5)), 0);
        assert.deepEqual((await store.take([charge(of(5))], true)).fits, [false]);
        assert.equal(await remainingOf(store, of(10)), 4);
        assert.deepEqual((await store.take([charge(of(8), "key", 2)], true)).fits, [true]);
        assert.equal(await remainingOf(store, of(10)), 2);
      }
    },
  ],
  [
    "begins calendar windows with the dates of their zone",
    async (store, clock) => {
      const zone = { algorithm: "fixed-window", timeZone: "America/New_York", limit: 1 } as const;
      const limiter = limiterOn(store, { ...zone, window: "day" });
      const noon = Date.UTC(2024, 10, 2, 16);
      const zero = clock();
      await rows(limiter, clock, [
        [noon - zero, 1, true, 0, 0, 12 * 3_600_000],
        [noon - zero + 12 * 3_600_000 - 1, 1, false, 0, 1],
        // Clocks are set back on this day, so it has 25 hours.
        [noon - zero + 12 * 3_600_000, 0, true, 1, 0, 0],
      ]);
      await rows(limiter, clock, [[0, 1, true, 0, 0, 25 * 3_600_000]]);
    },
  ],
  [
    "answers with copies that later requests leave alone",
    async (store) => {
      for (const [i, [, options]] of everyAlgorithm.entries()) {
        const { algorithm = "sliding-window", segments } = options;
        const one = policy({ name: `copy ${i}`, algorithm, segments: segments ?? 1 });
        const taken = await store.take([charge(one)], true);
        const before = structuredClone({ fits: taken.fits, states: taken.states });
        for (let n = 0; n < 9; n++) await store.take([charge(one)], true);
        await store.reset(one, "key");
        assert.deepEqual({ fits: taken.fits, states: taken.states }, before);
      }
    },
  ],
  [
    "answers each of many requests at once with what was left then",
    async (store) => {
      const limiter = limiterOn(store, { algorithm: "fixed-window", limit: 3, window });
      const decisions = await Promise.all(Array.from({ length: 10 }, () => limiter.check("key")));
      const told = ({ allowed, remaining }: Decision): unknown => [allowed, remaining];
      const refused = Array<unknown>(7).fill([false, 0]);
      assert.deepEqual(decisions.map(told), [[true, 2], [true, 1], [true, 0], ...refused]);
    },
  ],
  [
    "keeps a promise made while the clock steps back",
    async (store, clock) => {
      for (const [i, [name, options]] of everyAlgorithm.entries()) {
        if (options.window === "day") continue;
        const limiter = limiterOn(store, options);
        await limiter.check(`key ${i}`, { cost: 5 });
        clock.advance(-10 * window);
        const refused = await limiter.check(`key ${i}`);
        assert.equal(refused.allowed, false, name);
        assert.ok(refused.retryAfter <= 2 * window, name);
        clock.advance(refused.retryAfter);
        assert.equal((await limiter.check(`key ${i}`)).allowed, true, name);
      }
    },
  ],
];
