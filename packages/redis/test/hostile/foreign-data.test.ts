import { gzipSync } from "node:zlib";
import { type AlgorithmName, algorithms, type Policy, StoreError } from "@spillway/core";
import { type RedisStore, redisStore } from "@spillway/redis";
import fc from "fast-check";
import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { packedState } from "../../src/script/packed-state.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const bans = { durations: [1000, 9000], extend: true, status: undefined, body: undefined };
const ban = { after: 2, within: 5000, ...bans };
const policies = (Object.keys(algorithms) as AlgorithmName[]).flatMap((algorithm) => [
  policyOf({ name: algorithm, algorithm }),
  policyOf({ name: `${algorithm}-ban`, algorithm, ban }),
]);
const logs = policies.filter(({ algorithm }) => algorithm.name.startsWith("sliding-log"));
const counters = policies.filter((policy) => !logs.includes(policy));

let redis: Redis;
let store: RedisStore;

beforeEach(async () => {
  redis = client((await server()).port);
  store = redisStore(redis, { deadline: 10_000 });
});

function take(policy: Policy, key: string, cost = 1) {
  return store.take([{ policy, key, cost }], true);
}

/** Returns the name of a policy's key. */
async function nameOf(policy: Policy, key: string): Promise<string> {
  await take(policy, key);
  const [name] = await redis.keys(`rl:*:${policy.space}{${key}}`);
  return name!;
}

test("data of another kind fails a lone call too, is named, and stays as it is", async () => {
  for (const policy of policies) {
    const name = await nameOf(policy, "bad");
    for (const put of [
      () => redis.rpush(name, "x"),
      () => redis.hset(name, "a", "b"),
      () => redis.set(name, ""),
      () => redis.set(name, "1700006400000"),
      () => redis.set(name, JSON.stringify({ used: 1, since: 1_700_006_400_000 })),
      () => redis.set(name, Buffer.from("83a161c801", "hex")),
    ]) {
      await redis.del(name);
      await put();
      const before = await redis.dump(name);
      const problem = await take(policy, "bad").catch((error: unknown) => error);
      // An empty string is a log without entries.
      if (problem instanceof StoreError) expect(problem.message).toContain(name);
      else expect([logs.includes(policy), before]).toEqual([true, await emptyText()]);
      if (problem instanceof StoreError) expect(await redis.dump(name)).toBe(before);
      expect((await take(policy, "good", 0)).fits).toEqual([true]);
    }
  }
});

async function emptyText(): Promise<string> {
  await redis.set("empty", "");
  return (await redis.dump("empty"))!;
}

test("what is no log is never read as one, and keeps Redis from nothing", async () => {
  const number = (value: number): string => BigInt(value).toString(16).padStart(14, "0");
  const header = (...numbers: number[]): Buffer => Buffer.from(numbers.map(number).join(""), "hex");
  const far = 2 ** 52;
  const zipped = Array.from({ length: 40 }, (_, i) => gzipSync("x".repeat(i) + i));
  const texts = [
    ...zipped.filter(({ length }) => length % 7 === 0),
    // Two entries at most, and more of them than a server could walk through.
    header(2, far, 0, far, far, far),
    header(far, far, 0, far, far, far),
    header(2, far, far, 2, far, far),
    header(2 ** 53, 1, 0, 0),
  ];
  expect(texts.length).toBeGreaterThan(4);
  for (const policy of logs) {
    const name = await nameOf(policy, "bad");
    for (const text of texts) {
      const inPlace = policy.ban ? Buffer.concat([header(0, 0, 0, 0, 0), text]) : text;
      await redis.set(name, inPlace);
      const [bad, good] = await Promise.allSettled([take(policy, "bad"), take(policy, "good", 0)]);
      expect(bad).toMatchObject({ status: "rejected", reason: { code: "ERR_STORE_UNAVAILABLE" } });
      expect(good).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
      expect((await redis.getBuffer(name))!.equals(inPlace)).toBe(true);
    }
  }
});

const packing = `${packedState}
local s = cjson.decode(ARGV[1])
return redis.call('SET', KEYS[1], packed(s, #s))`;

test("numbers that no algorithm wrote fail or decide their own key, and touch no other", async () => {
  const number = fc.oneof(
    fc.nat(9),
    fc.constantFrom(2 ** 32, 2 ** 40, 2 ** 52, 2 ** 53 - 1, 1_700_006_400_000),
    fc.maxSafeNat(),
  );
  const numbers = fc.array(number, { minLength: 10, maxLength: 10 });
  const names = new Map<Policy, string>();
  for (const policy of counters) names.set(policy, await nameOf(policy, "bad"));
  let good = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(counters.length - 1), numbers, fc.nat(5), async (i, given, cost) => {
      const policy = counters[i]!;
      const name = names.get(policy)!;
      const slots = policy.algorithm.slots(policy.params(Date.now()));
      await redis.eval(packing, 1, name, JSON.stringify(given.slice(0, slots)));
      const key = `good${good++}`;
      const calls = [
        () => take(policy, "bad", cost),
        () => take(policy, key),
        () => take(policy, key),
      ];
      const lone = await take(policy, "bad", cost).catch((error: unknown) => error);
      const [bad, one, two] = await Promise.allSettled(calls.map((call) => call()));
      expect(one).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
      expect(two).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
      if (lone instanceof Error) expect(lone).toBeInstanceOf(StoreError);
      if (bad!.status === "rejected") expect(bad!.reason).toBeInstanceOf(StoreError);
      if (cost > 0 && !(lone instanceof Error)) expect(await redis.pttl(name)).not.toBe(-1);
    }),
    { seed: 10, numRuns: 400 },
  );
});
