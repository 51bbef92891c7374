import { StoreError, type Taken } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { answerTo } from "../src/answer.ts";
import { type Batch, batchesOf } from "../src/batches.ts";
import { callOf } from "../src/call.ts";
import { keyNames } from "../src/key-names.ts";
import { alikeScripts } from "../src/script/alike-scripts.ts";
import { policyOf } from "./support/policy.ts";
import { client, server } from "./support/redis.ts";

let redis: Redis;
const deadline = 10_000;
const names = keyNames("rl:");
const policy = policyOf();
const charge = { policy, key: "k", cost: 1 };

beforeEach(async () => {
  redis = client((await server()).port);
});

describe("a call", () => {
  test("that Redis meets after its time does nothing", async () => {
    const operations = [{ type: "take", charges: [charge], keep: true }] as const;
    const now = Date.now();
    const [{ script }] = batchesOf([{ operation: operations[0] }], alikeScripts(), now) as [
      Batch<unknown>,
    ];
    const run = async (last: number) => {
      const { keys, args } = callOf(operations, names, script, { now, last, clock: undefined });
      return answerTo(
        operations,
        await redis.eval(script.text, keys.length, ...keys, ...args),
        script,
      );
    };
    for (const ago of [5000, 3_600_000, 40_000_000, 90_000_000, 10 ** 12]) {
      expect((await run(now - ago)).outcomes).toBeUndefined();
    }
    expect(await redis.keys("*")).toEqual([]);
    expect((await run(now + 5000)).outcomes).toMatchObject([{ fits: [true] }]);
    expect((await run(0)).outcomes).toMatchObject([{ fits: [true] }]);
  });

  test("that came too late only because the server's clock was set forward is made again", async () => {
    let calls = 0;
    const store = redisStore(
      Object.assign(Object.create(redis) as Redis, {
        evalsha(sha: string, numkeys: number, key: string, text: string) {
          calls++;
          // As it looks from a server that is half a minute ahead.
          const aged = calls === 2 ? text.replace(/\d+/, (until) => `${Number(until) - 40}`) : text;
          return redis.evalsha(sha, numkeys, key, aged);
        },
      }),
      { deadline },
    );
    for (const used of [1, 2, 3]) {
      expect((await store.take([charge], true)).states[0]![2]).toBe(used);
    }
    expect(calls).toBe(4);
  });

  test("carries the requests of one turn, in order, each whole or not at all", async () => {
    let calls = 0;
    const store = redisStore(
      Object.assign(Object.create(redis) as Redis, {
        evalsha(...args: [string, number, ...string[]]) {
          calls++;
          return redis.evalsha(...args);
        },
      }),
      { deadline },
    );
    await store.ready();
    calls = 0;
    const [narrow, wide] = [policyOf({ name: "narrow", limit: 2 }), policyOf({ name: "wide" })];
    const both = [
      { policy: wide, key: "k", cost: 1 },
      { policy: narrow, key: "k", cost: 1 },
    ];
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(both, true)));
    expect(calls).toBe(2);
    const used = taken.map(({ fits, states }) => [...fits, ...states.map((state) => state[2])]);
    expect(used.slice(0, 2)).toEqual([
      [true, true, 1, 1],
      [true, true, 2, 2],
    ]);
    for (const each of used.slice(2)) expect(each).toEqual([true, false, 2, 2]);

    calls = 0;
    await Promise.all(Array.from({ length: 200 }, () => store.take([charge], true)));
    expect(calls).toBe(4);
    for (const [length, expected] of [
      [8, 1],
      [9, 2],
      [15, 2],
      [128, 2],
      [129, 3],
    ] as const) {
      calls = 0;
      await Promise.all(Array.from({ length }, () => store.take([charge], true)));
      expect(calls).toBe(expected);
    }
  });

  test("charges a key that a request names twice both times, or not at all", async () => {
    const store = redisStore(redis, { deadline });
    const twice = [
      { policy, key: "k", cost: 3 },
      { policy, key: "k", cost: 2 },
    ];
    const first = await store.take(twice, true);
    expect([first.fits, first.states.map((state) => state[2])]).toEqual([
      [true, true],
      [3, 5],
    ]);
    await store.reset(policy, "k");
    const second = await store.take([twice[0]!, twice[0]!], true);
    expect(second.fits).toEqual([true, false]);
    expect(await redis.keys("*")).toEqual([]);
    for (const algorithm of [
      "fixed-window",
      "sliding-window",
      "token-bucket",
      "sliding-log",
    ] as const) {
      const known = policyOf({ name: algorithm, algorithm });
      await store.take([{ policy: known, key: "k", cost: 1 }], true);
      const look = () => store.take([{ policy: known, key: "k", cost: 4 }], false);
      expect((await look()).fits).toEqual([true]);
      for (const costs of [
        [3, 3],
        [3, 6],
        [1, 1, 3],
      ]) {
        const charges = costs.map((cost) => ({ policy: known, key: "k", cost }));
        expect((await store.take(charges, true)).fits.at(-1)).toBe(false);
        expect((await look()).fits).toEqual([true]);
      }
    }
  });
});

describe("data of somebody else under a key", () => {
  const ring = policyOf({ algorithm: "sliding-log", limit: 5 });

  test.each([
    ["text", policy, "rl:1f:p{bad}", (key: string) => redis.set(key, "abc")],
    ["a number", policy, "rl:1f:p{bad}", (key: string) => redis.set(key, "12345")],
    ["nothing", policy, "rl:1f:p{bad}", (key: string) => redis.set(key, "")],
    ["a long text", policy, "rl:1f:p{bad}", (key: string) => redis.set(key, "x".repeat(100_000))],
    ["big bytes", policy, "rl:1f:p{bad}", (key: string) => redis.set(key, Buffer.alloc(30, 255))],
    ["a list", policy, "rl:1f:p{bad}", (key: string) => redis.rpush(key, "abc")],
    ["text for a ring", ring, "rl:1l:p{bad}", (key: string) => redis.set(key, "abcdefg")],
    ["a short text for a ring", ring, "rl:1l:p{bad}", (key: string) => redis.set(key, "abc")],
    ["a hash for a ring", ring, "rl:1l:p{bad}", (key: string) => redis.hset(key, "a", "b")],
  ] as const)(
    "(%s) fails its request, names the key, and hinders no other",
    async (_, policy, key, put) => {
      await put(key);
      const before = await redis.dump(key);
      const store = redisStore(redis, { deadline });
      const of = (key: string) => store.take([{ policy, key, cost: 1 }], true);
      const [good, bad, other] = await Promise.allSettled([of("good"), of("bad"), of("good")]);
      expect(bad).toMatchObject({ status: "rejected", reason: { code: "ERR_STORE_UNAVAILABLE" } });
      expect((bad as PromiseRejectedResult).reason.message).toContain(key);
      expect(good).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
      expect(other).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
      expect(await redis.dump(key)).toBe(before);
      await expect(store.take([{ policy, key: "bad", cost: 1 }], false)).rejects.toBeInstanceOf(
        StoreError,
      );

      await store.reset(policy, "bad");
      expect((await of("bad")).fits).toEqual([true]);
    },
  );
});

test("a turn is decided in its order, also where Redis knows only the script for requests that are alike", async () => {
  const store = redisStore(redis, { deadline });
  const of = (key: string) => ({ policy, key, cost: 1 });
  const take = (key: string) => store.take([of(key)], true);
  const usedBy = async (taken: Promise<Taken>) => (await taken).states[0]![2];
  for (const others of [1, 7, 8, 127, 128, 300]) {
    await redis.script("FLUSH");
    for (let i = 0; i < 5; i++) await take("k");
    void store.reset(policy, "k");
    for (let i = 0; i < others; i++) void take(`other:${others}:${i}`);
    expect(await usedBy(take("k"))).toBe(1);
    await store.reset(policy, "k");
  }
  await redis.script("FLUSH");
  await take("k");
  const many = Array.from({ length: 12 }, (_, i) => of(i === 0 ? "k" : `many:${i}`));
  const both = [store.take(many, true), take("k")];
  expect(await Promise.all(both.map(usedBy))).toEqual([2, 3]);
});

test.each([
  // Widths 6, 1, 1, 7 and 7: far ahead of every clock, so that both counts are taken together.
  ["that cannot be added up", `e27f2000000000000100${"1fffffffffffff".repeat(2)}`],
  // Widths 4, 2, 4, 1 and 1: a charge later in its second than a second is long.
  ["that turn negative", "c50965540a0003e83b9aca000005"],
])("numbers %s fail what charges them, stay as they are, and hinder no other", async (_, bytes) => {
  const sliding = policyOf({ algorithm: "sliding-window" });
  await redis.set("rl:1w:p{bad}", Buffer.from(bytes, "hex"));
  const before = await redis.dump("rl:1w:p{bad}");
  const store = redisStore(redis, { deadline, clock: manualClock(1_700_006_400_000) });
  const take = (key: string) => store.take([{ policy: sliding, key, cost: 1 }], true);
  for (const keys of [["bad"], ["good", "bad", "bad", "good"]]) {
    const taken = await Promise.allSettled(keys.map(take));
    expect(taken.map(({ status }) => status)).toEqual(
      keys.map((key) => (key === "bad" ? "rejected" : "fulfilled")),
    );
    expect(await redis.dump("rl:1w:p{bad}")).toBe(before);
  }
  const { states } = await store.take([{ policy: sliding, key: "good", cost: 1 }], false);
  expect(states[0]![3]).toBe(2);
});

describe("states", () => {
  test("are packed without loss, whatever the numbers", async () => {
    const clock = manualClock();
    const store = redisStore(redis, { deadline, clock });
    const largest = Number.MAX_SAFE_INTEGER;
    for (const limit of [1, 127, 128, 255, 256, 16_383, 16_384, 2 ** 31, 2 ** 52, largest]) {
      for (const now of [0, 1, 127, 128, 2 ** 40, 1_700_006_400_000, largest - 2 ** 40]) {
        clock.set(now);
        const policy = policyOf({
          name: `${limit}/${now}`,
          align: "first-request",
          limit,
          window: 2 ** 40,
        });
        const charges = [{ policy, key: "k", cost: limit }];
        const left = (await store.take(charges, true)).states;
        expect(left).toEqual([[now, 2 ** 40, limit, 0]]);
        expect((await store.take(charges, false)).states).toEqual(left);
      }
    }
  });

  test("of a log are read and written by pieces", async () => {
    const store = redisStore(redis, { deadline });
    const policy = policyOf({ algorithm: "sliding-log", limit: 10_000 });
    const take = (cost: number) => store.take([{ policy, key: "k", cost }], true);
    await take(9000);
    await redis.config("RESETSTAT");
    expect((await take(1)).fits).toEqual([true]);
    expect((await take(2000)).fits).toEqual([false]);
    const stats = await redis.info("commandstats");
    const calls = (name: string) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1]);
    expect(calls("getrange")).toBeLessThan(30);
    expect(calls("setrange")).toBe(2);
    expect(stats).not.toMatch(/cmdstat_get:/);
    expect((await take(999)).fits).toEqual([true]);
    expect((await take(1)).fits).toEqual([false]);
    expect(await redis.strlen("rl:1l:p{k}")).toBe(7 * (4 + 10_000));
  });

  test("take at most 100 bytes of Redis for a counter with a short key", async () => {
    const store = redisStore(redis, { deadline });
    for (const algorithm of [
      "fixed-window",
      "sliding-window",
      "token-bucket",
      "leaky-bucket",
    ] as const) {
      const policy = policyOf({ name: "default", algorithm, limit: 100, window: 60_000 });
      for (const key of ["user:42", "ip:203.0.113.7"]) {
        for (let i = 0; i < 100; i++) await store.take([{ policy, key, cost: 1 }], true);
      }
      const [name] = await redis.keys("*{user:42}");
      expect(await redis.memory("USAGE", name!), algorithm).toBeLessThanOrEqual(100);
      await redis.flushall();
    }
  });
});
