import { createLimiter, type Policy } from "@spillway/core";
import { type RedisClient, redisStore } from "@spillway/redis";
import type { RedisServer } from "@spillway/redis/testing";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5 } from "ioredis5";
import { createCluster } from "redis";
import { createCluster as createCluster5 } from "redis5";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slotOf } from "../src/slot.ts";
import { freed } from "./support/cleanup.ts";
import { startCluster } from "./support/cluster.ts";
import { policyOf } from "./support/policy.ts";

let nodes: RedisServer[];
let masters: Redis[];
const deadline = 5000;

beforeAll(async () => {
  nodes = await startCluster(0);
  masters = nodes.map(({ port }) => new Redis(port));
}, 60_000);

afterAll(async () => {
  for (const master of masters) master.disconnect();
  await Promise.all(nodes.map((node) => node.stop()));
});

const ports = () => nodes.map(({ port }) => ({ host: "127.0.0.1", port }));
const roots = () => ({
  rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
});

const clients: readonly (readonly [string, () => RedisClient & { on: unknown }, string])[] = [
  ["ioredis 6", () => freed(new Cluster(ports()), (made) => made.disconnect()), "six:"],
  ["ioredis 5", () => freed(new Cluster5(ports()), (made) => made.disconnect()), "five:"],
  ["node-redis 6", () => freed(createCluster(roots()), (made) => made.destroy()), "n6:"],
  ["node-redis 5", () => freed(createCluster5(roots()), (made) => made.destroy()), "n5:"],
];

/** Begins to move the slot of a key's name to another master; returns how to move a key, and all of it. */
async function moving(name: string) {
  const slot = slotOf(name);
  const slots = await masters[0]!.cluster("SLOTS");
  const owner = slots.find(([from, to]) => slot >= from && slot <= to)![2]!;
  const source = masters.find(({ options }) => options.port === owner[1])!;
  const target = masters.find((master) => master !== source)!;
  await target.cluster("SETSLOT", slot, "IMPORTING", owner[2]);
  await source.cluster("SETSLOT", slot, "MIGRATING", (await target.cluster("MYID")) as string);
  return {
    move: (key: string) => source.migrate("127.0.0.1", target.options.port!, key, 0, 5000),
    async end() {
      for (const key of (await source.cluster("GETKEYSINSLOT", slot, 1000)) as string[]) {
        await source.migrate("127.0.0.1", target.options.port!, key, 0, 5000);
      }
      const id = (await target.cluster("MYID")) as string;
      for (const node of [target, source, ...masters])
        await node.cluster("SETSLOT", slot, "NODE", id);
    },
  };
}

describe.each(clients)("while a slot moves, by %s", (_, connect, prefix) => {
  const [known, fresh] = ["known", "fresh"].map((name) => policyOf({ name })) as [Policy, Policy];
  const charges = [known, fresh].map((policy) => ({ policy, key: "k", cost: 1 }));

  test.each([
    ["one is new", [known], []],
    ["one has moved and one is new", [known], [known]],
    ["one has moved", [known, fresh], [known]],
    ["both have moved", [known, fresh], [known, fresh]],
  ])("a request with keys of which %s is charged once, or not at all", async (_, kept, moved) => {
    const store = redisStore(connect() as RedisClient, { deadline, prefix });
    for (const policy of [known, fresh]) await store.reset(policy, "k");
    for (const policy of kept) await store.take([{ policy, key: "k", cost: 1 }], true);
    const { move, end } = await moving("{k}");
    try {
      for (const { name } of moved) await move(`${prefix}1f:${name}{k}`);
      const first = await store.take(charges, true);
      expect(first.fits).toEqual([true, true]);
      await store.give({ charges, ...first });
      const used: unknown[] = [];
      for (let i = 0; i < 6; i++) {
        const { fits, states } = await store.take(charges, true);
        used.push([fits.every(Boolean), ...states.map((state) => state[2])]);
      }
      const other = kept.length - 2;
      expect(used).toEqual([2, 3, 4, 5, 5, 5].map((count, i) => [i < 4, count, count + other]));
    } finally {
      await end();
    }
    const { states } = await store.take(charges, false);
    expect(states.map((state) => state[2])).toEqual([5, 3 + kept.length]);
  });

  test("requests of one turn are decided that have keys on both sides", async () => {
    const tag = `{${prefix}}:`;
    const store = redisStore(connect() as RedisClient, { deadline, prefix: tag });
    const errors: unknown[] = [];
    const limiter = createLimiter({
      name: "one",
      limit: 5,
      window: "1d",
      store,
      onError: (error) => errors.push(error),
    });
    const users = Array.from({ length: 12 }, (_, i) => `u${i}`);
    const all = () => Promise.all(users.map((user) => limiter.check(user)));
    await all();
    const { move, end } = await moving(tag);
    try {
      let admitted = 0;
      for (let i = 0; i < 8; i++) {
        await move(`${tag}1w:one{u${i}}`);
        for (const { allowed } of await all()) if (allowed) admitted++;
      }
      expect(errors).toEqual([]);
      expect(admitted).toBe(4 * users.length);
      await Promise.all([limiter.reset("u0"), limiter.reset("u11"), limiter.check("u5")]);
      expect((await all()).map(({ allowed }) => allowed)).toEqual(
        users.map((user) => user === "u0" || user === "u11"),
      );
    } finally {
      await end();
    }
  });
});

test("a request that a moving slot refuses twice has its answer in time", async () => {
  const client = freed(new Cluster(ports()), (made) => made.disconnect());
  const tryAgain = new Error("TRYAGAIN Multiple keys request during rehashing of slot");
  let calls = 0;
  const store = redisStore(
    Object.assign(Object.create(client) as Cluster, {
      status: "ready",
      evalsha() {
        calls++;
        return Promise.reject(tryAgain);
      },
    }),
    { deadline },
  );
  const charges = ["a", "b"].map((name) => ({ policy: policyOf({ name }), key: "k", cost: 1 }));
  await expect(store.take(charges, true)).rejects.toThrow(/TRYAGAIN/);
  // The call, its first key by itself, and a look at what the second one says.
  expect(calls).toBe(3);
});
