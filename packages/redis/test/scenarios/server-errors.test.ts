import { createLimiter, type LimiterOptions, type Policy, StoreError } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import { expect, test, vi } from "vitest";
import { freePort } from "../../src/testing/redis-server.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const options = { limit: 2, window: "1h", onError: () => {} } satisfies LimiterOptions;
const deadline = 10_000;
const policy = policyOf();

test("goes on through SCRIPT FLUSH at any moment, and charges nothing twice", async () => {
  const { port } = await server();
  const redis = client(port);
  const other = client(port);
  const store = redisStore(redis, { deadline });
  let flushing = true;
  const flush = async (): Promise<void> => {
    while (flushing) await other.script("FLUSH");
  };
  const flushed = flush();
  const many = policyOf({ limit: 500 });
  let admitted = 0;
  const call = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const { fits } = await store.take([{ policy: many, key: "k", cost: 1 }], true);
      if (fits[0]) admitted++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, call));
  flushing = false;
  await flushed;
  expect(admitted).toBe(500);
});

test("B124: a server that became a replica refuses writes: the policy answers, and limits hold again after", async () => {
  const { port } = await server();
  const redis = client(port);
  const admin = client(port);
  const errors: string[] = [];
  const limiter = createLimiter({
    ...options,
    store: redisStore(redis, { deadline }),
    onError: (error) => errors.push((error as Error).message),
  });
  expect((await limiter.check("key")).reason).toBe("ok");
  await admin.replicaof("127.0.0.1", await freePort());
  const asked = Array.from({ length: 200 }, () => limiter.check("key"));
  for (const { reason, allowed } of await Promise.all(asked)) {
    expect([reason, allowed]).toEqual(["store-unavailable", true]);
  }
  expect(errors).toHaveLength(200);
  expect(errors[0]).toMatch(/READONLY/);
  await admin.replicaof("NO", "ONE");
  await vi.waitFor(async () => expect((await limiter.check("key")).reason).toBe("ok"), 10_000);
  expect((await limiter.check("key")).reason).toBe("limited");
});

test("B124: asks for another connection at READONLY, but rarely", async () => {
  const { port } = await server();
  const redis = client(port);
  const admin = client(port);
  const store = redisStore(redis, { deadline });
  await store.ready();
  await admin.replicaof("127.0.0.1", await freePort());
  let connections = 0;
  redis.on("connect", () => connections++);
  const charge = { policy, key: "k", cost: 1 };
  for (let i = 0; i < 300; i++)
    await expect(store.take([charge], true)).rejects.toBeInstanceOf(StoreError);
  await vi.waitFor(() => expect(connections).toBeGreaterThan(0), 10_000);
  expect(connections).toBeLessThan(20);
});

test("a server that loads its data answers nothing: the policy does", async () => {
  const made = await server({
    args: ["--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"],
  });
  const admin = client(made.port);
  const fill = admin.pipeline();
  for (let i = 0; i < 5000; i++) fill.set(`filler:${i}`, "x".repeat(20));
  await fill.exec();
  await admin.save();
  await made.kill();
  const loaded = made.start();
  const redis = client(made.port, { enableReadyCheck: false });
  const errors: string[] = [];
  const limiter = createLimiter({
    ...options,
    store: redisStore(redis, { deadline }),
    onError: (error) => errors.push((error as Error).message),
  });
  await vi.waitFor(async () => {
    expect((await limiter.check("key")).reason).toBe("store-unavailable");
    expect(errors.at(-1)).toMatch(/LOADING/);
  }, 10_000);
  await redis.config("SET", "key-load-delay", "0");
  await loaded;
  await vi.waitFor(async () => expect((await limiter.check("key")).reason).toBe("ok"), 10_000);
});

test("B133: a server that is full writes nothing by halves, and takes up again when there is room", async () => {
  const { port } = await server();
  const redis = client(port);
  const store = redisStore(redis, { deadline });
  const two = [policyOf({ name: "a" }), policyOf({ name: "b" })];
  const charges = (key: string) => two.map((policy) => ({ policy, key, cost: 1 }));
  await store.take(charges("known"), true);
  await redis.config("SET", "maxmemory-policy", "noeviction");
  await redis.config("SET", "maxmemory", "1");
  await expect(store.take(charges("new"), true)).rejects.toThrow(/OOM/);
  await expect(store.take(charges("known"), true)).rejects.toThrow(/OOM/);
  // A request that has to write affects no other in its call, neither of its own policies nor of others.
  for (const name of ["a", "other"]) {
    const one = policyOf({ name, limit: 1 });
    const [refused, seen, written] = await Promise.allSettled([
      store.take([{ policy: policyOf({ name: "a", limit: 1 }), key: "known", cost: 1 }], true),
      store.take(charges("known"), false),
      store.take([{ policy: one, key: "new", cost: 1 }], true),
    ]);
    expect(refused).toMatchObject({ value: { fits: [false] } });
    expect(seen).toMatchObject({ value: { fits: [true, true] } });
    expect(written).toMatchObject({ reason: { message: expect.stringMatching(/OOM/) } });
  }
  // Nor of a key that it names itself, if nothing of its own would be written.
  const both = policyOf({ name: "everybody" });
  const spent = { policy: policyOf({ name: "a", limit: 1, algorithm: "sliding-log" }), cost: 1 };
  const sharing = (key: string) => [
    { ...spent, key },
    { policy: both, key: "all", cost: 1 },
  ];
  await redis.config("SET", "maxmemory", "0");
  await store.take([{ ...spent, key: "known" }], true);
  await redis.config("SET", "maxmemory", "1");
  const [again, fresh] = await Promise.allSettled([
    store.take(sharing("known"), true),
    store.take(sharing("new"), true),
  ]);
  expect(again).toMatchObject({ value: { fits: [false, true] } });
  expect(fresh).toMatchObject({ reason: { message: expect.stringMatching(/OOM/) } });
  await store.reset(spent.policy, "known");
  const log = policyOf({ algorithm: "sliding-log" });
  const logs = ["known", "new"].map((key) => ({ policy: log, key, cost: 1 }));
  const [looked, logged] = await Promise.allSettled([
    store.take([logs[0]!], false),
    store.take([logs[1]!], true),
  ]);
  expect(looked).toMatchObject({ value: { fits: [true] } });
  expect(logged).toMatchObject({ reason: { message: expect.stringMatching(/OOM/) } });
  // Looking and resetting take no memory.
  expect((await store.take(charges("known"), false)).states.map((state) => state[2])).toEqual([
    1, 1,
  ]);
  await store.reset(two[0]!, "known");
  await redis.config("SET", "maxmemory", "0");
  expect(await redis.keys("*")).toEqual(["rl:1f:b{known}"]);
  expect((await store.take(charges("new"), true)).fits).toEqual([true, true]);
});

test("a server that is full keeps no half of a request, whatever else its call takes away", async () => {
  const { port } = await server();
  const redis = client(port);
  const store = redisStore(redis, { deadline });
  const [a, b, c] = ["a", "b", "c"].map((name) => policyOf({ name, limit: 2 })) as [
    Policy,
    Policy,
    Policy,
  ];
  const of = (...policies: Policy[]) => policies.map((policy) => ({ policy, key: "k", cost: 1 }));
  const charges = of(a, c);
  const receipt = { charges, ...(await store.take(charges, true)) };
  await store.take(of(a), true);
  await redis.config("SET", "maxmemory-policy", "noeviction");
  await redis.config("SET", "maxmemory", "1");
  const [given, taken] = await Promise.allSettled([
    store.give(receipt),
    store.take(of(a, b), true),
  ]);
  expect(given).toMatchObject({ status: "rejected" });
  // By itself, from what is stored.
  expect(taken).toMatchObject({ value: { fits: [false, true] } });
  expect((await store.take(of(b), false)).states[0]![2]).toBe(0);
});

test("a request that a server refuses to write counts for no other of its call, by any of its keys", async () => {
  const { port } = await server();
  const redis = client(port);
  const store = redisStore(redis, { deadline, clock: manualClock() });
  const [a, b] = ["a", "b"].map((name) => policyOf({ name, limit: 4 })) as [Policy, Policy];
  const one = [{ policy: a, key: "k", cost: 1 }];
  const receipt = { charges: one, ...(await store.take(one, true)) };
  await store.take([{ policy: a, key: "k", cost: 2 }], true);
  await redis.config("SET", "min-replicas-to-write", "1");
  const told = await Promise.allSettled([
    store.take([...one, { policy: b, key: "k", cost: 1 }], true),
    store.take(one, true),
    store.give(receipt),
    store.take([{ policy: a, key: "k", cost: 2 }], true),
  ]);
  expect(told.map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(told[3]).toMatchObject({ value: { fits: [false] } });
  await redis.config("SET", "min-replicas-to-write", "0");
  expect((await store.take(one, false)).states[0]![2]).toBe(3);
});

test("B133: a server that evicts forgets a counter, and it begins anew", async () => {
  const { port } = await server();
  const redis = client(port);
  const limiter = createLimiter({ ...options, store: redisStore(redis, { deadline }) });
  for (let i = 0; i < 3; i++) await limiter.check("key");
  expect(await redis.del("rl:1w{key}")).toBe(1);
  const { allowed, remaining } = await limiter.check("key");
  expect([allowed, remaining]).toEqual([true, 1]);
  expect(await redis.pttl("rl:1w{key}")).toBeGreaterThan(0);
});

test("B134: a server that wants a password, or grants no scripts, is a failure of the store that says so", async () => {
  const { port } = await server({ args: ["--requirepass", "secret"] });
  const admin = client(port, { password: "secret" });
  await admin.call("ACL", "SETUSER", "reader", "on", ">pw", "~*", "+@read", "+info");
  const bare = client(port, { enableReadyCheck: false });
  const reader = client(port, { username: "reader", password: "pw" });
  for (const [redis, error] of [
    [bare, /NOAUTH/],
    [reader, /NOPERM/],
  ] as const) {
    const store = redisStore(redis, { deadline });
    await expect(store.take([{ policy, key: "k", cost: 1 }], true)).rejects.toThrow(error);
    await expect(store.ready()).rejects.toMatchObject({ code: "ERR_STORE_UNAVAILABLE" });
  }
});

test("a user who may run the script, on the keys of the prefix alone, may do all that the store does", async () => {
  const { port } = await server();
  const admin = client(port);
  const commands = "+evalsha +eval +time +get +set +getrange +setrange +del +pexpire +pttl".split(
    " ",
  );
  const connecting = ["+hello", "+client", "+info"];
  await admin.call("ACL", "SETUSER", "limits", "on", ">pw", "~rl:*", ...commands, ...connecting);
  const redis = client(port, { username: "limits", password: "pw" });
  const store = redisStore(redis, { deadline });
  for (const algorithm of ["sliding-window", "sliding-log"] as const) {
    const charges = [{ policy: policyOf({ algorithm }), key: "k", cost: 1 }];
    const first = await store.take(charges, true);
    for (let i = 0; i < 5; i++) await store.take(charges, true);
    await store.give({ charges, ...first });
    await store.reset(charges[0]!.policy, "k");
  }
  await expect(
    redisStore(redis, { deadline, prefix: "other:" }).take([{ policy, key: "k", cost: 1 }], true),
  ).rejects.toThrow(/NOPERM|permission/i);
});

test("a script of somebody else that does not end is a failure of the store, until it is killed", async () => {
  const { port } = await server({ args: ["--busy-reply-threshold", "10"] });
  const [redis, rogue, admin] = [client(port), client(port), client(port)];
  const store = redisStore(redis, { deadline });
  await Promise.all([store.ready(), admin.ping()]);
  const endless = rogue.eval("while true do end", 0).catch((error: Error) => error.message);
  await vi.waitFor(() => expect(admin.ping()).rejects.toThrow(/BUSY/), 10_000);
  await expect(store.take([{ policy, key: "k", cost: 1 }], true)).rejects.toThrow(/BUSY/);
  await admin.script("KILL");
  expect(await endless).toMatch(/killed/i);
  expect((await store.take([{ policy, key: "k", cost: 1 }], true)).fits).toEqual([true]);
});
