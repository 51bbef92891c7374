import {
  type AlgorithmName,
  algorithms,
  createLimiter,
  type Policy,
  StoreError,
} from "@spillway/core";
import { redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { alikeScripts } from "../../src/script/alike-scripts.ts";
import { anyScript } from "../../src/script/any-script.ts";
import { shapeOf } from "../../src/script/policy-shape.ts";
import type { Script } from "../../src/script/script.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
const names = Object.keys(algorithms) as AlgorithmName[];
let redis: Redis;

beforeEach(async () => {
  redis = client((await server()).port);
});

test("B128: a key without a time to live gets one again, refused or not", async () => {
  const store = redisStore(redis, { deadline });
  for (const algorithm of names) {
    const policy = policyOf({ algorithm, limit: 2, window: 60_000 });
    const take = () => store.take([{ policy, key: "k", cost: 1 }], true);
    await take();
    const [name] = await redis.keys("*");
    for (const fits of [true, false]) {
      await redis.persist(name!);
      expect((await take()).fits).toEqual([fits]);
      const ttl = await redis.pttl(name!);
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(120_000);
    }
    await redis.flushall();
  }
});

test("B129: times to live are milliseconds, and at most two windows", async () => {
  const store = redisStore(redis, { deadline });
  for (const algorithm of names) {
    for (const window of [1000, 60_000, 86_400_000]) {
      const policy = policyOf({ name: `${window}`, algorithm, window });
      await store.take([{ policy, key: "k", cost: 5 }], true);
      const [name] = await redis.keys(`*:${window}{k}`);
      const ttl = await redis.pttl(name!);
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(algorithm === "sliding-window" ? 2 * window : window);
    }
    await redis.flushall();
  }
});

test("B130: another algorithm under the same name begins anew at once", async () => {
  for (const algorithm of names) {
    const limiter = createLimiter({
      name: "same",
      algorithm,
      limit: 3,
      window: "60s",
      store: redisStore(redis, { deadline }),
    });
    expect((await limiter.check("key")).remaining).toBe(2);
  }
  expect(await redis.dbsize()).toBe(names.length);
});

/** Returns the script for any call, and those for requests of one policy. */
function scriptsOf(policies: readonly Policy[]): Set<Script> {
  const scripts = alikeScripts();
  const alone = policies.map((policy) => {
    const { form } = shapeOf(policy, Date.now());
    return form && scripts([form]);
  });
  return new Set([anyScript, ...alone.filter((each) => each !== undefined)]);
}

/** Returns the client, with its replies passed through a change. */
function changed(change: (reply: unknown[]) => unknown): Redis {
  return Object.assign(Object.create(redis) as Redis, {
    evalsha: async (...args: [string, number, ...string[]]) =>
      change((await redis.evalsha(...args)) as unknown[]),
  });
}

test("B131: numbers may come as numbers, texts, big integers or buffers", async () => {
  for (const { text } of scriptsOf([policyOf({ limit: 10 })])) await redis.script("LOAD", text);
  const told: unknown[] = [];
  for (const [i, change] of [
    (reply: unknown[]) => reply,
    (reply: unknown[]) => reply.map(String),
    (reply: unknown[]) => reply.map((each) => BigInt(each as number)),
    (reply: unknown[]) => reply.map((each) => Buffer.from(String(each))),
  ].entries()) {
    const store = redisStore(changed(change), {
      deadline,
      prefix: `${i}:`,
      clock: () => 1_700_006_400_000,
    });
    const policy = policyOf({ limit: 10 });
    for (const cost of [9, 1, 1]) told.push(await store.take([{ policy, key: "k", cost }], true));
  }
  for (let i = 3; i < told.length; i++) expect(told[i]).toEqual(told[i % 3]);
});

test.each<[string, (reply: unknown[]) => unknown]>([
  ["null", () => null],
  ["a string", () => "OK"],
  ["an empty list", () => []],
  ["a list that is too short", (reply) => reply.slice(0, -1)],
  ["a list that is too long", (reply) => [...reply, 1]],
  ["a fraction", (reply) => reply.map((each) => Number(each) + 0.5)],
  ["a number that is none", (reply) => [...reply.slice(0, -1), Number.NaN]],
  ["an error within", (reply) => [...reply.slice(0, 2), new Error("ERR inner"), ...reply.slice(3)]],
  ["nulls", (reply) => reply.map(() => null)],
  ["a negative number", (reply) => [...reply.slice(0, -1), -5]],
])("B131: %s in place of a reply is a failure of the store", async (_, change) => {
  for (const { text } of scriptsOf([policyOf()])) await redis.script("LOAD", text);
  const store = redisStore(changed(change), { deadline });
  await expect(
    store.take([{ policy: policyOf(), key: "k", cost: 1 }], true),
  ).rejects.toBeInstanceOf(StoreError);
});

test("B142: a client written by hand decides with two methods", async () => {
  const store = redisStore(
    {
      evalsha: (sha, numkeys, ...args) => redis.evalsha(sha, numkeys, ...args),
      eval: (text: string, numkeys: number, ...args: string[]) =>
        redis.eval(text, numkeys, ...args),
    },
    { deadline },
  );
  const charge = { policy: policyOf({ limit: 1 }), key: "k", cost: 1 };
  expect((await store.take([charge], true)).fits).toEqual([true]);
  expect((await store.take([charge], true)).fits).toEqual([false]);
});

test("B135: no script uses anything that differs between calls, and each only keys as it was given them", () => {
  const bans = { after: 1, within: 5000, durations: [60_000], extend: false };
  const ban = { ...bans, status: undefined, body: undefined };
  const scripts = scriptsOf(
    names.flatMap((algorithm) => [policyOf({ algorithm }), policyOf({ algorithm, ban })]),
  );
  // Logs have none of their own, and a leaky bucket shares the token bucket's.
  expect(scripts.size).toBe(7);
  for (const { text } of scripts) {
    expect(text).not.toMatch(/math\.random|os\.|SELECT|KEYS\s*\*|RANDOMKEY|#!lua/);
    const calls = [...text.matchAll(/redis\.p?call\(([^)]*)/g)].map(([, args]) => args);
    expect(calls.length).toBeGreaterThanOrEqual(5);
    for (const args of calls) expect(args).toMatch(/^'[A-Z]+',(key|KEYS\[)|^'TIME'$|^\.\.\.$/);
    // Redis keeps each, and a server that does not know it is sent all of it.
    expect(text.length).toBeLessThan(35_000);
  }
});
