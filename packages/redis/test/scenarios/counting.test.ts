import {
  type AlgorithmName,
  algorithms,
  createLimiter,
  type Limiter,
  type LimiterOptions,
} from "@spillway/core";
import { type ManualClock, manualClock } from "@spillway/core/testing";
import { type RedisStore, redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
const names = Object.keys(algorithms) as AlgorithmName[];
const fixed = { algorithm: "fixed-window", align: "first-request", window: "60s" } as const;

let redis: Redis;
let clock: ManualClock;
let store: RedisStore;

beforeEach(async () => {
  redis = client((await server()).port);
  clock = manualClock();
  store = redisStore(redis, { deadline, clock });
});

function limiterOf(options: Pick<LimiterOptions, never> & Record<string, unknown>): Limiter {
  return createLimiter({ store, ...options } as unknown as LimiterOptions);
}

test("B48: a wait is told in milliseconds, and is 58 seconds two seconds into a minute", async () => {
  const limiter = limiterOf({ ...fixed, limit: 1 });
  await limiter.check("key");
  clock.advance(2000);
  expect((await limiter.check("key")).retryAfter).toBe(58_000);
});

test("a calendar window that began before the epoch is kept, by a clock that begins with it", async () => {
  const clock = manualClock(0);
  const day = { algorithm: "fixed-window", window: "day", timeZone: "America/New_York" } as const;
  const limiter = limiterOf({ ...day, limit: 1, store: redisStore(redis, { deadline, clock }) });
  expect(await limiter.check("key")).toMatchObject({ reason: "ok", resetAfter: 5 * 3_600_000 });
  expect((await limiter.check("key")).allowed).toBe(false);
  clock.advance(5 * 3_600_000);
  expect(await limiter.check("key")).toMatchObject({ reason: "ok", resetAfter: 24 * 3_600_000 });
});

test("B51: whatever time to live the key has, the wait is that of the window", async () => {
  const limiter = createLimiter({ ...fixed, limit: 1, store: redisStore(redis, { deadline }) });
  await limiter.check("key");
  for (const change of [
    () => redis.persist("rl:1f{key}"),
    () => redis.pexpire("rl:1f{key}", 10 ** 15),
    () => redis.pexpire("rl:1f{key}", 59_999),
    () => redis.pexpire("rl:1f{key}", 600_000),
  ]) {
    await change();
    const { allowed, retryAfter, resetAfter } = await limiter.check("key");
    expect(allowed).toBe(false);
    expect(Number.isInteger(retryAfter) && retryAfter > 0 && retryAfter <= 60_000).toBe(true);
    expect(resetAfter).toBe(retryAfter);
  }
  await redis.pexpire("rl:1f{key}", -2);
  expect((await limiter.check("key")).allowed).toBe(true);
});

test("B69: giving back to a key that is gone makes no key", async () => {
  const limiter = limiterOf({ ...fixed, window: "1s", limit: 2 });
  const decisions = await Promise.all(Array.from({ length: 2 }, () => limiter.check("key")));
  clock.advance(1100);
  await Promise.all(decisions.map((decision) => limiter.give(decision)));
  expect(await redis.exists("rl:1f{key}")).toBe(0);
  clock.advance(100);
  const after = [
    await limiter.check("key"),
    await limiter.check("key"),
    await limiter.check("key"),
  ];
  expect(after.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  expect(await redis.pttl("rl:1f{key}")).toBeGreaterThan(0);

  const real = createLimiter({
    ...fixed,
    name: "real",
    limit: 2,
    store: redisStore(redis, { deadline }),
  });
  const gone = await real.check("key");
  await redis.del("rl:1f:real{key}");
  await real.give(gone);
  expect(await redis.exists("rl:1f:real{key}")).toBe(0);
});

test("B75: a request that one policy refuses leaves the others as they were", async () => {
  const [a, b] = ["a", "b"].map((name) => policyOf({ name, algorithm: "token-bucket", limit: 5 }));
  const charges = [
    { policy: a!, key: "k", cost: 1 },
    { policy: b!, key: "k", cost: 5 },
  ];
  const first = await store.take(charges, true);
  const before = await redis.dump("rl:1t:a{k}");
  for (let i = 0; i < 10; i++)
    expect((await store.take(charges, true)).fits).toEqual([true, false]);
  expect(await redis.dump("rl:1t:a{k}")).toBe(before);
  // Giving back twice as much as was taken does not leave more than there was.
  for (let i = 0; i < 5; i++) await store.give({ charges, ...first });
  const { states, now } = await store.take([{ policy: a!, key: "k", cost: 1 }], false);
  expect(a!.algorithm.view(states[0]!, now, 1, a!.params(now)).remaining).toBe(5);
});

test.each(names)(
  "B76: a thousand requests in one tick over four clients, %s",
  async (algorithm) => {
    const stores = Array.from({ length: 4 }, () =>
      redisStore(client(redis.options.port!), { deadline, clock }),
    );
    const limiters = stores.map((each) =>
      limiterOf({ algorithm, limit: 5, window: "60s", name: "n", store: each }),
    );
    const asked = Array.from({ length: 1000 }, (_, i) => limiters[i % 4]!.check("key"));
    const passed = (await Promise.all(asked)).filter(({ allowed }) => allowed);
    expect(passed.map(({ remaining }) => remaining).sort()).toEqual([0, 1, 2, 3, 4]);
  },
);

test("B78: a cost above the limit never fits, and all of the limit does", async () => {
  for (const algorithm of names) {
    const limiter = limiterOf({ algorithm, limit: 5, window: "60s", name: algorithm });
    expect(await limiter.check("a", { cost: 6 })).toMatchObject({
      allowed: false,
      reason: "cost-exceeds-limit",
      retryAfter: Number.POSITIVE_INFINITY,
    });
    expect((await limiter.check("a")).remaining).toBe(4);
    expect(await limiter.check("b", { cost: 5 })).toMatchObject({ allowed: true, remaining: 0 });
    await limiter.check("c");
    const { allowed, retryAfter } = await limiter.check("c", { cost: 5 });
    expect([allowed, retryAfter > 0 && retryAfter <= 120_000]).toEqual([false, true]);
  }
});

test("B79: costs that are no whole number are errors, and nothing is charged", async () => {
  const limiter = limiterOf({ ...fixed, limit: 5 });
  await limiter.check("key", { cost: 3 });
  const before = await redis.dump("rl:1f{key}");
  const policy = policyOf({ name: "default" });
  for (const cost of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2"] as number[]) {
    await expect(limiter.check("key", { cost })).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
    await expect(store.take([{ policy, key: "key", cost }], true)).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
  }
  expect((await limiter.check("key", { cost: 0 })).remaining).toBe(2);
  expect(await redis.dump("rl:1f{key}")).toBe(before);
  await limiter.check("never seen", { cost: 0 });
  expect(await redis.keys("*")).toEqual(["rl:1f{key}"]);
});

test("B80: looking charges nothing and makes no key", async () => {
  for (const algorithm of names) {
    const limiter = limiterOf({ algorithm, limit: 5, window: "60s" });
    expect((await limiter.peek("key")).remaining).toBe(5);
    expect(await redis.keys("*")).toEqual([]);
    await limiter.check("key");
    await limiter.check("key");
    expect([(await limiter.peek("key")).remaining, (await limiter.peek("key")).remaining]).toEqual([
      3, 3,
    ]);
    expect((await limiter.check("key")).remaining).toBe(2);
    await redis.flushall();
  }
});

test("B84: a limit of 0 refuses everything, and leaves no key", async () => {
  for (const algorithm of names) {
    const limiter = limiterOf({ algorithm, limit: 0, window: "60s", name: algorithm });
    for (let i = 0; i < 2; i++) {
      expect(await limiter.check("key")).toMatchObject({ allowed: false, limit: 0, remaining: 0 });
    }
  }
  expect(await redis.keys("*")).toEqual([]);
});

test("B90: limiters built anew refill nothing, and a changed limit holds at once", async () => {
  const of = (limit: number) =>
    limiterOf({ name: "live", algorithm: "token-bucket", limit, window: "60s" });
  await of(5).check("key", { cost: 5 });
  expect((await of(5).check("key")).allowed).toBe(false);
  const raised = await of(10).peek("key");
  expect(raised.remaining).toBe(5);
  expect((await of(2).peek("key")).remaining).toBe(0);
  clock.advance(600_000);
  expect((await of(2).peek("key")).remaining).toBe(2);
});

test("B92: a sliding log refuses until the oldest request leaves, and no longer", async () => {
  const limiter = limiterOf({ algorithm: "sliding-log", limit: 10, window: "10s" });
  for (let i = 0; i < 10; i++) {
    expect((await limiter.check("key")).allowed).toBe(true);
    clock.advance(i === 9 ? 500 : 1000);
  }
  expect(await limiter.check("key")).toMatchObject({ allowed: false, retryAfter: 500 });
  clock.advance(510);
  expect((await limiter.check("key")).allowed).toBe(true);
});

test("B114: servers that share a Redis share a limit", async () => {
  const port = redis.options.port!;
  const [one, two] = [1, 2].map(() =>
    createLimiter({ ...fixed, limit: 3, store: redisStore(client(port), { deadline }) }),
  );
  const told = [];
  for (let i = 0; i < 8; i++) {
    const { allowed, remaining } = await (i % 2 ? two! : one!).check("key");
    told.push(allowed && remaining);
  }
  expect(told).toEqual([2, 1, 0, false, false, false, false, false]);
});

describe("times", () => {
  test("B95: the wait of a sliding log is that of its oldest request", async () => {
    const limiter = limiterOf({ algorithm: "sliding-log", limit: 2, window: "60s" });
    await limiter.check("key");
    clock.advance(50_000);
    await limiter.check("key");
    clock.advance(5000);
    expect(await limiter.check("key")).toMatchObject({ allowed: false, retryAfter: 5000 });
  });

  test("B96: a slow and steady client is never refused", async () => {
    const limiter = limiterOf({ ...fixed, limit: 5 });
    for (let i = 0; i < 20; i++) {
      expect((await limiter.check("key")).remaining).toBe(i % 2 ? 3 : 4);
      clock.advance(30_000);
    }
  });

  test("B102: after any pause exactly the burst passes", async () => {
    for (const limit of [1000, 10 ** 9]) {
      const limiter = limiterOf({
        algorithm: "token-bucket",
        limit,
        window: "1s",
        name: `n${limit}`,
      });
      for (const pause of [0, 365 * 86_400_000, 10 * 365 * 86_400_000, Number.MAX_SAFE_INTEGER]) {
        clock.set(Math.min(clock() + pause, Number.MAX_SAFE_INTEGER - 10_000));
        expect(await limiter.check("key", { cost: limit })).toMatchObject({
          allowed: true,
          remaining: 0,
        });
        expect((await limiter.check("key")).allowed).toBe(false);
      }
      clock.set(1_700_006_400_000);
    }
  });

  test("B104: windows of a millisecond and of odd lengths", async () => {
    for (const window of [1, 100, 1500]) {
      for (const algorithm of names) {
        const limiter = limiterOf({ algorithm, limit: 1, window, name: `${algorithm} ${window}` });
        expect((await limiter.check("key")).allowed).toBe(true);
        const { allowed, retryAfter } = await limiter.check("key");
        expect([allowed, retryAfter > 0 && retryAfter <= 2 * window]).toEqual([false, true]);
        clock.advance(2 * window);
        expect((await limiter.check("key")).allowed).toBe(true);
      }
    }
    expect(() => limiterOf({ ...fixed, limit: 1, window: 1500.5 })).toThrow(/window/);
  });

  test("B107: a client at exactly the allowed rate always passes", async () => {
    for (const algorithm of names) {
      const limiter = limiterOf({ algorithm, limit: 1, window: "1s", name: algorithm });
      // Half of a sliding window still weighs after a whole one.
      if (algorithm === "sliding-window") continue;
      for (let i = 0; i < 100; i++) {
        expect((await limiter.check("key")).allowed).toBe(true);
        clock.advance(1000);
      }
    }
  });
});
