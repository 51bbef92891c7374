import { type AlgorithmName, algorithms, createLimiter, type PolicyOptions } from "@spillway/core";
import { type ManualClock, manualClock } from "@spillway/core/testing";
import { type RedisStore, redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { client, server } from "../support/redis.ts";

const names = Object.keys(algorithms) as AlgorithmName[];
const doubled = [60, 120, 240, 480, 960, 1920, 3600];

let redis: Redis;
let clock: ManualClock;
let store: RedisStore;

beforeEach(async () => {
  redis = client((await server()).port);
  clock = manualClock();
  store = redisStore(redis, { deadline: 10_000, clock });
});

function limiterOf(options: Partial<PolicyOptions>) {
  return createLimiter({ limit: 1, window: "60s", store, ...options });
}

test.each(names)(
  "B91: a penalty of a %s grows to its ceiling and stays there",
  async (algorithm) => {
    const ban = { for: "60s", factor: 2, ceiling: "1h", extend: true } as const;
    const limiter = limiterOf({ algorithm, window: "10s", ban });
    await limiter.check("key");
    const told = await Promise.all(Array.from({ length: 100 }, () => limiter.check("key")));
    expect(told.map(({ reason, retryAfter }) => [reason, retryAfter / 1000])).toEqual(
      [...doubled, ...Array<number>(93).fill(3600)].map((wait) => ["blocked", wait]),
    );
    const [name] = await redis.keys("*");
    const ttl = await redis.pttl(name!);
    expect(ttl).toBeGreaterThan(7_100_000);
    expect(ttl).toBeLessThanOrEqual(7_200_000);
    clock.advance(3_599_999);
    expect((await limiter.peek("key")).retryAfter).toBe(1);
    clock.advance(1);
    expect((await limiter.check("key")).allowed).toBe(true);
  },
);

test("B91: a second ban outlasts the base window, by the server's own clock", async () => {
  const ban = { for: 100, factor: 10, ceiling: "1h", extend: true } as const;
  const limiter = createLimiter({
    limit: 1,
    window: 100,
    ban,
    store: redisStore(redis, { deadline: 10_000 }),
  });
  await limiter.check("key");
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => limiter.check("key")));
  expect(first!.retryAfter).toBeLessThanOrEqual(200);
  expect([second!.retryAfter, third!.retryAfter]).toEqual([1000, 10_000]);
  const [name] = await redis.keys("*");
  expect(await redis.pttl(name!)).toBeGreaterThan(15_000);
});

test.each(names)(
  "B92: a %s is blocked for as long as it says, whatever is tried",
  async (algorithm) => {
    const limiter = limiterOf({ algorithm, limit: 5, window: "10s", ban: { for: "30s" } });
    for (let i = 0; i < 5; i++) await limiter.check("key");
    for (let wait = 30; wait > 0; wait--) {
      clock.advance(1000);
      expect(await limiter.check("key")).toMatchObject({
        allowed: false,
        reason: "blocked",
        remaining: 0,
        retryAfter: wait * 1000,
      });
    }
    clock.advance(1000);
    expect(await limiter.check("key")).toMatchObject({ allowed: true, remaining: 4 });
  },
);

test.each(names)("B92: nobody is blocked who stays within the limit of a %s", async (algorithm) => {
  const ban = { for: "30s", extend: true } as const;
  const limiter = limiterOf({ algorithm, limit: 5, window: "10s", ban });
  for (let i = 0; i < 40; i++) {
    expect((await limiter.check("key")).allowed).toBe(true);
    clock.advance(5000);
  }
});

test.each(names)("B92: first refusals by a %s are kept, of unknown keys too", async (algorithm) => {
  for (const limit of [0, 2]) {
    const ban = { after: 3, for: "30s" } as const;
    const limiter = limiterOf({ algorithm, limit, window: "10s", name: `${limit}`, ban });
    const reasons = [];
    for (let i = 0; i < 5; i++) reasons.push((await limiter.check("key", { cost: 3 })).reason);
    const never = "cost-exceeds-limit";
    expect(reasons).toEqual([never, never, "blocked", "blocked", "blocked"]);
    for (let i = 0; i < 5; i++) await limiter.peek("other", { cost: 3 });
    expect((await limiter.peek("other", { cost: 3 })).reason).toBe(never);
  }
  expect((await redis.keys("*")).map((key) => key.replace(/:\d/, ""))).toHaveLength(2);
});

test.each(names)("B92: a reset lifts a ban of a %s, and a refund does not", async (algorithm) => {
  const limiter = limiterOf({ algorithm, limit: 2, window: "10s", ban: { for: "30s" } });
  const first = await limiter.check("key");
  await limiter.check("key");
  expect((await limiter.check("key")).reason).toBe("blocked");
  await limiter.give(first);
  expect(await limiter.check("key")).toMatchObject({ reason: "blocked", retryAfter: 30_000 });
  await limiter.reset("key");
  expect(await redis.keys("*")).toEqual([]);
  expect(await limiter.check("key")).toMatchObject({ allowed: true, remaining: 1 });
});

test("B92: a log reads and writes by pieces behind a ban", async () => {
  const limiter = limiterOf({
    algorithm: "sliding-log",
    limit: 10_000,
    window: "1h",
    ban: { after: 9, for: "2h" },
  });
  await limiter.check("key", { cost: 9999 });
  await redis.config("RESETSTAT");
  expect((await limiter.check("key")).allowed).toBe(true);
  expect((await limiter.check("key")).allowed).toBe(false);
  const stats = await redis.info("commandstats");
  const calls = (name: string) =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1]);
  expect(calls("getrange")).toBeLessThan(30);
  expect(calls("setrange")).toBeLessThan(6);
  const [name] = await redis.keys("*");
  expect(name).toBe("rl:1bl{key}");
  expect(await redis.strlen(name!)).toBe(7 * (5 + 4 + 10_000));
});

test("B92: a counter with bans takes few bytes more, and none once they are forgotten", async () => {
  const plain = limiterOf({ limit: 5, window: "10s" });
  const banning = limiterOf({ limit: 5, window: "10s", ban: { after: 3, for: "30s" } });
  await plain.check("key");
  await banning.check("key");
  const sizes = async () =>
    Promise.all(["rl:1w{key}", "rl:1bw{key}"].map((name) => redis.strlen(name)));
  const [less, more] = await sizes();
  // Five numbers of one byte, and a head of four bytes instead of two.
  expect(more! - less!).toBe(7);
  for (let i = 0; i < 9; i++) await banning.check("key");
  expect((await sizes())[1]! - more!).toBeLessThanOrEqual(20);
  clock.advance(90_000);
  await banning.check("key");
  expect((await sizes())[1]).toBe(more);
});
