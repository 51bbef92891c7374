import { type Charge, memoryStore, type Store } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import fc from "fast-check";
import { expect, test } from "vitest";
import { policyOf } from "./support/policy.ts";
import { client, server } from "./support/redis.ts";

/** Includes limits whose state fills two pages, and where a look reports no more. */
const limits = [1, 3, 70, 119, 120, 121, 122, 123, 124, 125, 129, 500] as const;
const terms = { after: 4, within: undefined, durations: [500], extend: false };
const ban = { ...terms, status: undefined, body: undefined };

/** Policies of the same log, whose limit changes from one to another. */
const logs = [undefined, ban].map((ban) =>
  limits.map((limit) =>
    policyOf({ name: "log", algorithm: "sliding-log", window: 1000, limit, ban }),
  ),
);

const step = fc.record({
  ms: fc.constantFrom(0, 0, 1, 200, 400, 999, 1000),
  limit: fc.nat(limits.length - 1),
  share: fc.constantFrom(0.01, 0.5, 1),
  times: fc.integer({ min: 1, max: 3 }),
  back: fc.boolean(),
});

test.each([
  ["a log", 4, logs[0]!],
  ["a log that bans", 9, logs[1]!],
])(
  "%s takes no more room than its latest limit, and decides as in memory",
  async (_, head, kinds) => {
    const redis = client((await server()).port);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        await redis.flushall();
        const clock = manualClock();
        const stores: Store[] = [
          memoryStore({ clock }),
          redisStore(redis, { clock, deadline: 10_000 }),
        ];
        for (const { ms, limit, share, times, back } of steps) {
          clock.advance(ms);
          const policy = kinds[limit]!;
          const cost = Math.ceil(policy.limit * share);
          const charges: Charge[] = [{ policy, key: "k", cost }];
          const told = await Promise.all(
            stores.map(async (store) => {
              const all = await Promise.all(
                Array.from({ length: times }, () => store.take(charges, true)),
              );
              if (back) await store.give({ charges, ...all[0]! });
              return [...all, await store.take(charges, false)];
            }),
          );
          expect(told[1]).toEqual(told[0]);
          const [key] = await redis.keys("*");
          if (key === undefined) continue;
          const text = await redis.getBuffer(key);
          const capacity = text!.readUIntBE(7 * (head - 4) + 1, 6);
          expect(text!.length).toBeLessThanOrEqual(7 * (head + capacity));
        }
      }),
      { numRuns: 60 },
    );
  },
);

test("a log gives back what a smaller limit leaves over", async () => {
  const redis = client((await server()).port);
  const clock = manualClock();
  const store = redisStore(redis, { clock, deadline: 10_000 });
  const of = (limit: number, cost: number) => [
    {
      policy: policyOf({ name: "log", algorithm: "sliding-log", window: 1000, limit }),
      key: "k",
      cost,
    },
  ];
  await store.take(of(10_000, 9000), true);
  expect(await redis.strlen("rl:1l:log{k}")).toBe(7 * 9004);
  clock.advance(500);
  await store.take(of(10_000, 3), true);
  clock.advance(500);
  const { fits } = await store.take(of(10, 2), true);
  expect([fits, await redis.strlen("rl:1l:log{k}")]).toEqual([[true], 7 * (4 + 10)]);
  expect(await redis.memory("USAGE", "rl:1l:log{k}")).toBeLessThan(200);
  expect(await redis.pttl("rl:1l:log{k}")).toBeGreaterThan(0);
  expect((await store.take(of(10, 5), true)).fits).toEqual([true]);
  expect((await store.take(of(10, 1), true)).fits).toEqual([false]);
  await store.take(of(200, 100), true);
  expect(await redis.strlen("rl:1l:log{k}")).toBe(7 * (4 + 110));
});

test.each([119, 120, 121, 122, 123, 124, 125])(
  "a log of %i that bans takes no more than its entries, and admits no more than its limit",
  async (limit) => {
    const redis = client((await server()).port);
    const clock = manualClock();
    const store = redisStore(redis, { clock, deadline: 10_000 });
    const long = { ...ban, durations: [3_600_000] };
    const policy = policyOf({
      name: "log",
      algorithm: "sliding-log",
      window: 60_000,
      limit,
      ban: long,
    });
    const one: Charge[] = [{ policy, key: "k", cost: 1 }];
    const fits: boolean[] = [];
    for (let i = 0; i < limit + 20; i++) fits.push((await store.take(one, true)).fits[0]!);
    expect(fits.filter(Boolean)).toHaveLength(limit);
    expect(fits.lastIndexOf(true)).toBe(limit - 1);
    const [key] = await redis.keys("*");
    expect(await redis.strlen(key!)).toBe(7 * (9 + limit));
  },
);

test.each([
  [1000, 500],
  [10_000, 5000],
  [10_000, 200],
])("a log of %i that has %i now has the room of that", async (before, after) => {
  const redis = client((await server()).port);
  const clock = manualClock();
  const store = redisStore(redis, { clock, deadline: 10_000 });
  const of = (limit: number, cost: number): Charge[] => [
    {
      policy: policyOf({ name: "log", algorithm: "sliding-log", window: 1000, limit }),
      key: "k",
      cost,
    },
  ];
  await store.take(of(before, before - 1), true);
  clock.advance(600);
  await store.take(of(before, 1), true);
  clock.advance(450);
  expect((await store.take(of(after, 1), true)).fits).toEqual([true]);
  expect(await redis.strlen("rl:1l:log{k}")).toBe(7 * (4 + after));
});
