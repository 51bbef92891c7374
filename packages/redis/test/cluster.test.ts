import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createLimiter, StoreError } from "@spillway/core";
import { storeSuite } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import type { RedisServer } from "@spillway/redis/testing";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5 } from "ioredis5";
import { createCluster } from "redis";
import { createCluster as createCluster5 } from "redis5";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { slotOf } from "../src/slot.ts";
import { freePort } from "../src/testing/redis-server.ts";
import { clusterClient, startCluster } from "./support/cluster.ts";
import { failuresOf } from "./support/failures.ts";
import { policyOf } from "./support/policy.ts";

const owes64 =
  "Redis has not answered 64 calls past their deadline; no more are sent until it does";

let nodes: RedisServer[];
const deadline = 10_000;
vi.setConfig({ testTimeout: 30_000 });

beforeAll(async () => {
  nodes = await startCluster(0);
}, 60_000);

afterAll(() => Promise.all(nodes.map((node) => node.stop())));

describe("the suite of every store on a cluster", () => {
  let made = 0;
  storeSuite(it, ({ clock }) => {
    const client = new Cluster(nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
    const store = redisStore(client, { clock, deadline, prefix: `suite-${made++}:` });
    return { store, close: () => client.disconnect() };
  });
});

describe("charges of different slots", () => {
  const [address, user, everyone] = ["address", "user", "everyone"].map((name) =>
    policyOf({ name }),
  );
  const usedOf = async (store: ReturnType<typeof redisStore>, key: string, policy = address!) => {
    const { states } = await store.take([{ policy, key, cost: 1 }], false);
    return states[0]![2];
  };

  test("are all taken where all fit, and none is kept where one does not", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "across:" });
    const charges = [
      { policy: address!, key: "203.0.113.7", cost: 1 },
      { policy: user!, key: "42", cost: 2 },
      { policy: everyone!, key: "everyone", cost: 1 },
    ];
    const first = await store.take(charges, true);
    expect(first.fits).toEqual([true, true, true]);
    expect(first.states.map((state) => state[2])).toEqual([1, 2, 1]);
    await store.take(charges, true);
    const third = await store.take(charges, true);
    expect(third.fits).toEqual([true, false, true]);
    // As they are after the request, in which nothing was charged.
    expect(third.states.map((state) => state[2])).toEqual([2, 4, 2]);
    expect((await store.take(charges, false)).fits).toEqual([true, false, true]);

    await store.give({ charges, ...first });
    expect(await usedOf(store, "203.0.113.7")).toBe(1);
    expect(await usedOf(store, "42", user)).toBe(2);
    expect(await usedOf(store, "everyone", everyone)).toBe(1);
  });

  test("count refusals and pass over shadows as in one slot", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "flags:" });
    const [before, after] = ["before", "after"].map((name) =>
      policyOf({ name, countRefused: true }),
    );
    const narrow = policyOf({ name: "narrow", limit: 1 });
    const shadow = policyOf({ name: "shadow", limit: 1, shadow: true });
    const charges = [
      { policy: before!, key: "a", cost: 1 },
      { policy: shadow, key: "b", cost: 1 },
      { policy: narrow, key: "c", cost: 1 },
      { policy: after!, key: "d", cost: 1 },
    ];
    await store.take(charges, true);
    const { fits, states } = await store.take(charges, true);
    expect(fits).toEqual([true, false, false, true]);
    expect(states.map((state) => state[2])).toEqual([2, 1, 1, 2]);
  });

  test("tell of a policy that counts refusals what it decided, whoever refuses after it", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "told:" });
    const counting = policyOf({ name: "counting", limit: 2, countRefused: true });
    const narrow = policyOf({ name: "narrow", limit: 1 });
    const charges = [
      { policy: counting, key: "a", cost: 1 },
      { policy: narrow, key: "b", cost: 1 },
    ];
    expect((await store.take(charges, true)).fits).toEqual([true, true]);
    const { fits, states } = await store.take(charges, true);
    expect(fits).toEqual([true, false]);
    expect(states.map((state) => state[2])).toEqual([2, 1]);
    expect((await store.take(charges, false)).fits).toEqual([false, false]);
  });

  test("count the refusals of policies that ban, also in slots that the request did not come to", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "bans:" });
    const terms = { after: 2, within: undefined, durations: [10_000_000], extend: false };
    const ban = { ...terms, status: undefined, body: undefined };
    const [first, second, roomy] = [1, 1, 9].map((limit, i) =>
      policyOf({ name: `${i}`, limit, ban }),
    );
    const charges = [
      { policy: first!, key: "a", cost: 1 },
      { policy: second!, key: "b", cost: 1 },
      { policy: roomy!, key: "c", cost: 1 },
    ];
    const blocked = async (keep: boolean) => {
      const { now, states } = await store.take(charges, keep);
      return charges.map(({ policy: { algorithm, params } }, i) => {
        const { blocked = false, remaining } = algorithm.view(states[i]!, now, 1, params(now));
        return [blocked, remaining];
      });
    };
    const none = [false, 0];
    expect(await blocked(true)).toEqual([none, none, [false, 8]]);
    expect(await blocked(true)).toEqual([none, none, [false, 8]]);
    for (let i = 0; i < 3; i++) expect(await blocked(false)).toEqual([none, none, [false, 8]]);
    await store.take(charges, true);
    expect(await blocked(false)).toEqual([
      [true, 0],
      [true, 0],
      [false, 8],
    ]);
  });

  test("of many requests at once never pass a limit, and what is given back is whole", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "race:" });
    const wide = policyOf({ name: "wide", limit: 1000 });
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        store.take(
          [
            { policy: wide, key: "w", cost: 1 },
            { policy: address!, key: `k${i % 4}`, cost: 1 },
          ],
          true,
        ),
      ),
    );
    expect(taken.filter(({ fits }) => fits.every(Boolean))).toHaveLength(4 * 5);
    expect(await usedOf(store, "w", wide)).toBe(20);
  });

  test("are given back where a later slot cannot answer", async () => {
    const client = clusterClient(nodes);
    const store = redisStore(client, { deadline, prefix: "broken:" });
    const charges = [
      { policy: address!, key: "203.0.113.7", cost: 1 },
      { policy: user!, key: "42", cost: 1 },
    ];
    await store.take(charges, true);
    await client.set("broken:1f:user{42}", "not a state");
    await expect(store.take(charges, true)).rejects.toThrow(/broken:1f:user\{42\}/);
    expect(await usedOf(store, "203.0.113.7")).toBe(1);
    // Also a policy that counts refusals: nobody has refused.
    const counting = policyOf({ name: "counting", countRefused: true });
    const counted = [{ policy: counting, key: "203.0.113.7", cost: 1 }, charges[1]!];
    for (let i = 0; i < 2; i++) {
      await expect(store.take(counted, true)).rejects.toThrow(/broken:1f:user\{42\}/);
    }
    expect(await usedOf(store, "203.0.113.7", counting)).toBe(0);
  });

  test("are refused by a later slot also where an earlier one refuses to write", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "full:" });
    const banned = policyOf({ name: "banned", limit: 1 });
    const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
    const on = (master: number) =>
      keys.find((key) => Math.floor((slotOf(`{${key}}`) * 3) / 2 ** 14) === master)!;
    const first = new Redis(nodes[0]!.port);
    const charges = [
      { policy: address!, key: on(0), cost: 1 },
      { policy: banned, key: on(2), cost: 1 },
    ];
    expect((await store.take(charges, true)).fits).toEqual([true, true]);
    const used = await usedOf(store, on(0));
    await first.config("SET", "maxmemory", "1");
    try {
      expect(await store.take(charges, true)).toMatchObject({
        fits: [true, false],
        degraded: true,
      });
      const fitting = [charges[0]!, { ...charges[1]!, policy: policyOf({ name: "wide" }) }];
      await expect(store.take(fitting, true)).rejects.toThrow("OOM");
    } finally {
      await first.config("SET", "maxmemory", "0");
      first.disconnect();
    }
    expect(await usedOf(store, on(0))).toBe(used);
  });

  test("refuse what has no policy, and nothing else of its turn", async () => {
    const store = redisStore(clusterClient(nodes), { deadline, prefix: "nothing:" });
    const charge = { policy: address!, key: "k", cost: 1 };
    const [taken, reset] = await Promise.allSettled([
      store.take([charge], true),
      store.reset(undefined as never, "k"),
    ]);
    expect(taken).toMatchObject({ value: { fits: [true] } });
    expect(reset).toMatchObject({ status: "rejected" });
  });
});

test("keys of one identity share a slot, and identities spread over the masters", async () => {
  const client = clusterClient(nodes);
  const store = redisStore(client, { deadline, prefix: "slots:" });
  const two = [policyOf({ name: "a" }), policyOf({ name: "b", algorithm: "sliding-log" })];
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      store.take(
        two.map((policy) => ({ policy, key: `user:${i}`, cost: 1 })),
        true,
      ),
    ),
  );
  const masters = client.nodes("master");
  const counts = await Promise.all(
    masters.map(async (node) => (await node.keys("slots:*")).length),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(120);
  for (const count of counts) expect(count).toBeGreaterThan(10);
});

test.each([
  ["ioredis 6", Cluster],
  ["ioredis 5", Cluster5 as unknown as typeof Cluster],
])("a class derived from the Cluster of %s is called as it is", async (_, Base) => {
  class Counted extends Base {
    #sent = 0;
    override sendCommand(...args: Parameters<Cluster["sendCommand"]>): unknown {
      this.#sent++;
      return super.sendCommand(...args);
    }
    sent(): number {
      return this.#sent;
    }
  }
  const own = new Counted(nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  const store = redisStore(own, { deadline, prefix: "derived:" });
  const charge = { policy: policyOf({ name: "one", limit: 1 }), key: "k", cost: 1 };
  expect((await store.take([charge], true)).fits[0]).toBeTypeOf("boolean");
  expect(own.sent()).toBeGreaterThan(0);
  own.disconnect();
});

test("ioredis 5 and node-redis decide on the same keys", async () => {
  const six = redisStore(clusterClient(nodes), { deadline });
  const client5 = new Cluster5(nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  const five = redisStore(client5, { deadline });
  const node = createCluster({
    rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
  });
  const other = redisStore(node, { deadline });
  const charge = { policy: policyOf({ name: "shared" }), key: "{k}", cost: 1 };
  const used: (number | undefined)[] = [];
  for (const store of [six, five, other])
    used.push((await store.take([charge], true)).states[0]![2]);
  client5.disconnect();
  node.destroy();
  expect(used).toEqual([1, 2, 3]);
});

test.each([
  ["that nobody connected", 3, false],
  ["that its owner connects", 2, true],
])("a node-redis cluster %s is waited for by all its stores", async (_, stores, owned) => {
  const redis = createCluster({
    rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
  });
  try {
    const connected = owned ? redis.connect() : undefined;
    const limiters = Array.from({ length: stores }, (_, i) =>
      createLimiter({
        ...{ limit: 9, window: "1h", onStoreError: "closed" },
        store: redisStore(redis, { deadline, prefix: `waited-${owned}-${i}:` }),
      }),
    );
    const checks: Promise<{ reason: string }>[] = [];
    for (let turn = 0; turn < 3; turn++) {
      for (const limiter of limiters) checks.push(limiter.check("key"));
      await new Promise(setImmediate);
    }
    const reasons = (await Promise.all(checks)).map(({ reason }) => reason);
    expect(reasons).toEqual(checks.map(() => "ok"));
    await connected;
  } finally {
    redis.destroy();
  }
});

test("a node-redis cluster whose owner could not connect it is no closed one, and keeps no listener of those that waited", async () => {
  const port = await freePort();
  const redis = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
  redis.on("error", () => {});
  const listening = () =>
    redis.eventNames().reduce((sum, name) => sum + redis.listenerCount(name), 0);
  const before = listening();
  const connecting = redis.connect().catch(() => {});
  const store = redisStore(redis, { deadline: 2000 });
  const charge = { policy: policyOf(), key: "k", cost: 1 };
  const early = store.take([charge], true);
  early.catch(() => {});
  await connecting;
  for (let i = 0; i < 2; i++) await expect(store.take([charge], true)).rejects.toThrow();
  await expect(early).rejects.toThrow();
  // For its use: "end" and "disconnect".
  expect(listening()).toBeLessThanOrEqual(before + 2);
  expect(redis.isOpen).toBe(false);
});

const create5 = createCluster5 as unknown as typeof createCluster;

test.each([
  ["5", "it connects itself", create5, false],
  ["5", "its owner connects", create5, true],
  ["6", "it connects itself", createCluster, false],
  ["6", "its owner connects", createCluster, true],
])(
  "a cluster of node-redis %s is connected again whose first connecting failed, where %s",
  async (_version, _who, create, owned) => {
    // Accepts a connection and ends it a little later, like a server that is starting.
    const ends: Socket[] = [];
    const starting = createServer((socket) => void ends.push(socket.on("error", () => {})));
    await once(starting.listen(0, "127.0.0.1"), "listening");
    const rootNodes = [{ url: `redis://127.0.0.1:${(starting.address() as AddressInfo).port}` }];
    const redis = create({ rootNodes, defaults: { socket: { reconnectStrategy: false } } });
    redis.on("error", () => {});
    const store = redisStore(redis, { deadline: 2000, prefix: "again:" });
    const charge = { policy: policyOf(), key: "k", cost: 1 };
    const connecting = owned ? redis.connect().catch(() => {}) : undefined;
    const asked = (): Promise<unknown> =>
      store.take([charge], true).catch((error: unknown) => error);
    const early = [asked()];
    await vi.waitFor(() => expect(ends.length).toBeGreaterThan(0));
    early.push(asked());
    for (const socket of ends) socket.destroy();
    starting.close();
    for (const error of await Promise.all(early)) expect(error).toBeInstanceOf(StoreError);
    await connecting;
    expect(redis.isOpen).toBe(false);
    rootNodes[0]!.url = `redis://127.0.0.1:${nodes[0]!.port}`;
    expect((await store.take([charge], true)).fits).toEqual([true]);
    redis.destroy();
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    expect(redis.isOpen).toBe(false);
  },
);

test("a node-redis cluster stays closed that its owner opened later and closed", async () => {
  for (const close of ["close", "destroy"] as const) {
    const redis = createCluster({
      rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
    });
    const store = redisStore(redis, { deadline });
    await redis.connect();
    await redis[close]();
    const charge = { policy: policyOf(), key: "k", cost: 1 };
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    expect(redis.isOpen).toBe(false);
  }
});

test("a slot that moves to another master while requests run loses and doubles nothing", async () => {
  const client = clusterClient(nodes);
  const limiter = createLimiter({
    algorithm: "fixed-window",
    limit: 300,
    window: "30d",
    store: redisStore(client, { deadline }),
  });
  await limiter.check("moving");
  const slot = await client.cluster("KEYSLOT", "rl:1f{moving}");
  const masters = client.nodes("master");
  const ids = await Promise.all(masters.map((node) => node.cluster("MYID")));
  const holders = await Promise.all(
    masters.map((node) => node.exists("rl:1f{moving}").catch(() => 0)),
  );
  const from = holders.indexOf(1);
  const to = (from + 1) % 3;

  let running = true;
  let admitted = 1;
  const call = async (): Promise<void> => {
    while (running) if ((await limiter.check("moving")).allowed) admitted++;
  };
  const calls = Array.from({ length: 8 }, call);
  await masters[to]!.cluster("SETSLOT", slot, "IMPORTING", ids[from]!);
  await masters[from]!.cluster("SETSLOT", slot, "MIGRATING", ids[to]!);
  await vi.waitFor(() => expect(admitted).toBeGreaterThan(50), 10_000);
  const { port } = masters[to]!.options;
  await masters[from]!.migrate("127.0.0.1", port!, "rl:1f{moving}", 0, 5000);
  await vi.waitFor(() => expect(admitted).toBeGreaterThan(150), 10_000);
  for (const node of [masters[to]!, masters[from]!, ...masters]) {
    await node.cluster("SETSLOT", slot, "NODE", ids[to]!);
  }
  await vi.waitFor(
    async () => expect((await limiter.peek("moving")).reason).toBe("limited"),
    10_000,
  );
  running = false;
  await Promise.all(calls);
  expect(admitted).toBe(300);
  expect(await masters[to]!.exists("rl:1f{moving}")).toBe(1);
});

test("a master that is stopped holds back its own keys and no others", async () => {
  const client = clusterClient(nodes);
  const store = redisStore(client, { deadline: 2000, prefix: "stopped:" });
  const policy = policyOf({ name: "default" });
  const take = (of: ReturnType<typeof redisStore>, key: string) =>
    of.take([{ policy, key, cost: 1 }], true);
  const keys = Array.from({ length: 20 }, (_, i) => `key:${i}`);
  for (const key of keys) await take(store, key);
  const [lost] = client.nodes("master");
  const theirs = (await lost!.keys("stopped:*")).map((name) => /\{(.*)\}/.exec(name)![1]!);
  const others = keys.filter((key) => !theirs.includes(key));
  expect(theirs.length * others.length).toBeGreaterThan(0);

  const node = nodes.find(({ port }) => port === lost!.options.port)!;
  await node.kill("SIGSTOP");
  const hasty = redisStore(client, { deadline: 5, prefix: "stopped:" });
  const failures = () => failuresOf(64, () => take(hasty, theirs[0]!));
  expect(await failures()).toEqual(Array(64).fill("Redis did not answer within 5 ms"));
  expect(await failures()).toEqual(Array(64).fill(owes64));
  for (const key of others) expect((await take(store, key)).fits).toEqual([true]);
  await expect(take(hasty, theirs[0]!)).rejects.toThrow(owes64);
  await node.kill("SIGCONT");
  await vi.waitFor(() => take(store, theirs[0]!), 20_000);
});
