import { type Charge, ConfigError, createLimiter, type Policy } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import type { RedisServer } from "@spillway/redis/testing";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freed } from "../support/cleanup.ts";
import { startCluster } from "../support/cluster.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
const [a, b] = [policyOf({ name: "a" }), policyOf({ name: "b" })];
const charge = (policy: Policy, key: unknown = "k") => ({ policy, key: key as string, cost: 1 });

let nodes: RedisServer[];

beforeAll(async () => {
  nodes = await startCluster(0);
});

afterAll(() => Promise.all(nodes.map((node) => node.stop())));

function cluster(options: { keyPrefix?: string; redisOptions?: { keyPrefix: string } }): Cluster {
  const hosts = nodes.map(({ port }) => ({ host: "127.0.0.1", port }));
  const made = freed(new Cluster(hosts, options), (each) => each.disconnect());
  made.on("error", () => {});
  return made;
}

test.each(["app:", "{app}:", "a{", "a{b", "}{", "{}", "{}{", "ü{"])(
  "a client's own prefix %s in front of ours finds the slots of a cluster",
  async (keyPrefix) => {
    for (const options of [{ keyPrefix }, { redisOptions: { keyPrefix } }]) {
      const redis = cluster(options);
      const store = redisStore(redis, { deadline });
      for (const policy of [a, b]) await store.reset(policy, "k");
      expect((await store.take([charge(a), charge(b)], true)).fits).toEqual([true, true]);
      const alone = await Promise.all([a, b].map((policy) => store.take([charge(policy)], true)));
      expect(alone.map(({ states }) => states[0]![2])).toEqual([2, 2]);
      const charges = [charge(a), charge(b), charge(a, "other")];
      const taken = await store.take(charges, true);
      await store.give({ charges, ...taken });
      const looked = await store.take(charges, false);
      expect(looked.states.map((state) => state[2])).toEqual([2, 2, 0]);
    }
  },
);

test.each(["a{", "{}", "}{", "{a}{", "{{"])(
  "our own prefix %s finds the slots of a cluster",
  async (prefix) => {
    const store = redisStore(cluster({}), { deadline, prefix });
    for (const each of [[charge(a)], [charge(a), charge(b)], [charge(b), charge(a, "other")]]) {
      expect((await store.take(each, true)).fits).toEqual(each.map(() => true));
    }
  },
);

test("a charge that is none fails alone, and takes no process down", async () => {
  for (const redis of [client((await server()).port), cluster({})]) {
    const store = redisStore(redis, { deadline });
    const of = (cost: number) => ({ ...charge(a), cost });
    const give = (charges: Charge[], now: number, state: unknown[]) =>
      store.give({ charges, now, fits: [true], states: [state as number[]] });
    const unfit: (() => unknown)[] = [
      () => give([of(Number.NaN)], 5, [5, 5, 1, 0]),
      () => give([of(1)], Number.NaN, [5, 5, 1, 0]),
      () => give([of(1)], 5, [5, 5, undefined, 0]),
      () => give([charge(a, 7)], 5, [5, 5, 1, 0]),
      () => store.take([], true),
      () => store.take([charge(a, null)], true),
      () => store.take([charge(a, 7)], false),
      () => store.take([{ ...charge(a), cost: Number.NaN }], true),
      () => store.take([{ ...charge(a), cost: 0.5 }], true),
      () => store.reset(a, undefined as never),
    ];
    const asked = [...unfit, () => store.take([charge(b)], true), ...unfit];
    const answers = await Promise.allSettled(asked.map((ask) => ask()));
    answers.forEach((answer, i) => {
      if (i === unfit.length) expect(answer).toMatchObject({ value: { fits: [true] } });
      else expect((answer as PromiseRejectedResult).reason).toBeInstanceOf(ConfigError);
    });
    await store.reset(b, "k");
  }
});

test("unnamed policies of two prefixes are named by themselves, whatever else a process makes", async () => {
  const { port } = await server();
  const redis = client(port);
  const limiterOf = (prefix: string, limit: number) =>
    createLimiter({ limit, window: "1h", store: redisStore(redis, { deadline, prefix }) });
  limiterOf("a:", 9);
  limiterOf("rl:", 7);
  const here = limiterOf("b:", 5);
  // Another process, where only this one is created.
  const store = redisStore(client(port), { deadline, prefix: "b:" });
  const there = createLimiter({ limit: 5, window: "1h", store });
  const asked = Array.from({ length: 10 }, (_, i) => (i % 2 ? here : there).check("key"));
  const decisions = await Promise.all(asked);
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  expect(await redis.keys("*")).toEqual(["b:1w{key}"]);
});

test("a clock is read in whole milliseconds, and one that is none is refused", async () => {
  const redis = client((await server()).port);
  for (const [i, algorithm] of ["fixed-window", "sliding-window", "sliding-log"].entries()) {
    const policy = policyOf({ name: `${i}`, algorithm: algorithm as "fixed-window" });
    const store = redisStore(redis, { deadline, clock: () => 1_700_006_400_000.75 });
    const { now, fits } = await store.take([charge(policy)], true);
    expect([now, fits]).toEqual([1_700_006_400_000, [true]]);
  }
  for (const time of [Number.NaN, -1, Infinity, 2 ** 53, "now", undefined]) {
    const clock = () => time as number;
    expect(() => redisStore(redis, { deadline, clock })).toThrow(ConfigError);
  }
});
