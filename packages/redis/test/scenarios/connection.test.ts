import { execFile, spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { createLimiter, fallbackStore, StoreError } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import { createClient, createSentinel } from "redis";
import { createClient as createClient5, createSentinel as createSentinel5 } from "redis5";
import { expect, test, vi } from "vitest";
import { freePort, redisServer } from "../../src/testing/redis-server.ts";
import { bundled } from "../support/bundled.ts";
import { freed } from "../support/cleanup.ts";
import { failuresOf } from "../support/failures.ts";
import { policyOf } from "../support/policy.ts";
import { client, proxy, server } from "../support/redis.ts";
import { sentinel } from "../support/sentinel.ts";

const owes64 =
  "Redis has not answered 64 calls past their deadline; no more are sent until it does";

const open = { limit: 2, window: "1h" } as const;
const policy = policyOf({ limit: 9 });
const charge = { policy, key: "k", cost: 1 };

function listeners(of: { eventNames(): unknown[]; listenerCount(name: never): number }): number {
  return of.eventNames().reduce<number>((sum, name) => sum + of.listenerCount(name as never), 0);
}

test("B116: answers by the policy while Redis is down, sends nothing later, and enforces once it is up", async () => {
  const port = await freePort();
  const redis = client(port);
  const before = listeners(redis);
  const errors: unknown[] = [];
  const limiter = createLimiter({
    ...open,
    store: redisStore(redis, { deadline: 2000 }),
    onError: (e) => errors.push(e),
  });
  for (let i = 0; i < 5; i++) {
    const { allowed, reason } = await limiter.check("key");
    expect([allowed, reason]).toEqual([true, "store-unavailable"]);
  }
  expect(errors).toHaveLength(5);
  for (const error of errors) expect(error).toMatchObject({ code: "ERR_STORE_UNAVAILABLE" });

  freed(await redisServer({ port }), (made) => made.stop());
  await vi.waitFor(() => expect(redis.status).toBe("ready"), 10_000);
  expect(await redis.dbsize()).toBe(0);
  expect(listeners(redis)).toBe(before);
  const decisions = [
    await limiter.check("key"),
    await limiter.check("key"),
    await limiter.check("key"),
  ];
  expect(decisions.map(({ reason }) => reason)).toEqual(["ok", "ok", "limited"]);
});

test("listens once to a client that is connecting, however many stores it has", async () => {
  const { port } = await server();
  const ioredis = client(port, { lazyConnect: true });
  const node = createClient({ url: `redis://127.0.0.1:${port}` });
  for (const redis of [ioredis, node]) {
    const before = listeners(redis as never);
    const stores = Array.from({ length: 30 }, (_, i) =>
      redisStore(redis, { deadline: 10_000, prefix: `listened-${i}:` }),
    );
    const asked = stores.map((store) => store.take([charge], true));
    await new Promise(setImmediate);
    expect(listeners(redis as never) - before).toBeLessThan(10);
    for (const { fits } of await Promise.all(asked)) expect(fits).toEqual([true]);
    const atEase = listeners(redis as never);
    await stores[0]!.take([charge], true);
    expect(listeners(redis as never)).toBe(atEase);
  }
  node.destroy();
});

test("waits for a client that is only just connecting, and connects one that never did", async () => {
  const { port } = await server();
  for (const lazyConnect of [false, true]) {
    const redis = client(port, { lazyConnect });
    const store = redisStore(redis, { deadline: 10_000 });
    const taken = await Promise.all([store.take([charge], true), store.take([charge], true)]);
    expect(taken.map(({ fits }) => fits)).toEqual([[true], [true]]);
    expect(redis.listenerCount("ready")).toBe(0);
  }
});

test("leaves a node-redis client closed that its owner closed", async () => {
  const { port } = await server();
  const redis = createClient({ url: `redis://127.0.0.1:${port}` });
  redis.on("error", () => {});
  const store = redisStore(redis, { deadline: 10_000 });
  expect((await store.take([charge], true)).fits).toEqual([true]);
  await redis.close();
  await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
  expect(redis.isOpen).toBe(false);
});

test.each([
  ["closed", "close"],
  ["destroyed", "destroy"],
] as const)(
  "leaves a node-redis client alone that its owner opened later and %s",
  async (_, close) => {
    const { port } = await server();
    const redis = createClient({ url: `redis://127.0.0.1:${port}` });
    redis.on("error", () => {});
    const first = redisStore(redis);
    const before = listeners(redis);
    // As many stores as would cause a warning if each listened.
    const more = Array.from({ length: 12 }, (_, i) => redisStore(redis, { prefix: `${i}:` }));
    const stores = [first, ...more];
    expect(listeners(redis)).toBe(before);
    await redis.connect();
    await redis[close]();
    for (const store of stores) {
      await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    }
    expect(redis.isOpen).toBe(false);
    expect(listeners(redis)).toBe(before);
  },
);

test("leaves a node-redis Sentinel alone that its owner opened later and closed", async () => {
  const made = await server();
  const root = { host: "127.0.0.1", port: await sentinel(made.port) };
  const redis = createSentinel({ name: "primary", sentinelRootNodes: [root] });
  redis.on("error", () => {});
  const store = redisStore(redis, { deadline: 10_000 });
  await redis.connect();
  await redis.close();
  await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
  expect(redis.isOpen).toBe(false);
});

test("leaves a node-redis client alone that its owner gave up before it had connected", async () => {
  const redis = createClient({ url: `redis://127.0.0.1:${await freePort()}` });
  redis.on("error", () => {});
  const store = redisStore(redis);
  const connecting = redis.connect();
  redis.destroy();
  await expect(connecting).rejects.toThrow();
  await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
  expect(redis.isOpen).toBe(false);
});

test("connects a node-redis client again whose connecting failed", async () => {
  const port = await freePort();
  const redis = createClient({
    url: `redis://127.0.0.1:${port}`,
    socket: { reconnectStrategy: false },
  });
  redis.on("error", () => {});
  const store = redisStore(redis, { deadline: 10_000 });
  const before = listeners(redis);
  await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
  freed(await redisServer({ port }), (made) => made.stop());
  expect((await store.take([charge], true)).fits).toEqual([true]);
  expect(listeners(redis)).toBe(before);
  await redis.close();
});

test("keeps nothing of requests whose deadline passed while a client was connecting", async () => {
  const redis = createClient({ url: `redis://127.0.0.1:${await freePort()}` });
  redis.on("error", () => {});
  const connecting = redis.connect().catch(() => {});
  const store = redisStore(redis, { deadline: 50 });
  const before = listeners(redis);
  const asked = [1, 2, 3].map(() => store.take([charge], true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(listeners(redis)).toBeGreaterThan(before);
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe("rejected");
  // A store that waits for a client listens to it.
  expect(listeners(redis)).toBe(before);
  redis.destroy();
  await connecting;
});

test("tells why a client is away, and nothing of an outage that is over", async () => {
  const port = await freePort();
  const redis = createClient({
    url: `redis://127.0.0.1:${port}`,
    socket: { reconnectStrategy: 5 },
  });
  redis.on("error", () => {});
  const store = redisStore(redis, { deadline: 200 });
  await expect(store.take([charge], true)).rejects.toThrow(/within 200 ms: .*ECONNREFUSED/);
  freed(await redisServer({ port }), (made) => made.stop());
  await vi.waitFor(() => expect(redis.isReady).toBe(true), 10_000);
  await redis.close();
  await expect(store.take([charge], true)).rejects.toThrow(/reached: the client is not connected/);
});

const versions = [
  ["5", createClient5 as unknown as typeof createClient],
  ["6", createClient],
] as const;

test.each(versions)(
  "leaves a client of node-redis %s alone that its owner is closing",
  async (_, make) => {
    const { port } = await server();
    const redis = make({ url: `redis://127.0.0.1:${port}` });
    redis.on("error", () => {});
    const store = redisStore(redis, { deadline: 10_000 });
    await redis.connect();
    const other = client(port);
    // A pending command keeps the connection until it is answered.
    const waiting = redis.blPop("list", 0);
    await vi.waitFor(async () => {
      expect(await other.call("client", "list")).toContain("cmd=blpop");
    }, 10_000);
    const closing = redis.close();
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    await other.lpush("list", "value");
    expect(await waiting).toMatchObject({ element: "value" });
    await closing;
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    expect(redis.isOpen).toBe(false);
  },
);

test.each(versions)(
  "leaves a client of node-redis %s alone that its owner closed while Redis was away",
  async (_, make) => {
    const made = await server();
    const redis = make({
      url: `redis://127.0.0.1:${made.port}`,
      socket: { reconnectStrategy: 20 },
    });
    const lost = new Promise((resolve) => redis.once("reconnecting", resolve));
    redis.on("error", () => {});
    const store = redisStore(redis, { deadline: 10_000 });
    expect((await store.take([charge], true)).fits).toEqual([true]);
    await made.kill();
    await lost;
    // An unanswered command keeps the client from ending.
    const closing = redis.quit();
    closing.catch(() => {});
    await made.start();
    for (let i = 0; i < 2; i++) {
      await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
      expect(redis.isOpen).toBe(false);
    }
  },
);

test.each(versions)(
  "connects a client of node-redis %s again that gave up by itself",
  async (_, make) => {
    const { port } = await server();
    const redis = make({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } });
    redis.on("error", () => {});
    const now = performance.now.bind(performance);
    let later = 0;
    freed(
      vi.spyOn(performance, "now").mockImplementation(() => now() + later),
      (spy) => spy.mockRestore(),
    );
    const store = redisStore(redis, { deadline: 10_000 });
    expect((await store.take([charge], true)).fits).toEqual([true]);
    await client(port).call("client", "kill", "type", "normal", "skipme", "yes");
    await vi.waitFor(() => expect(redis.isOpen).toBe(false), 10_000);
    // Version 5 may only have been closed while it tried.
    later += 5000;
    expect((await store.take([charge], true)).states[0]![2]).toBe(2);
    // And once more after its owner closed and opened it.
    await redis.close();
    await redis.connect();
    expect((await store.take([charge], true)).states[0]![2]).toBe(3);
    await client(port).call("client", "kill", "type", "normal", "skipme", "yes");
    await vi.waitFor(() => expect(redis.isOpen).toBe(false), 10_000);
    // Version 5 may only have been closed while it tried.
    later += 5000;
    expect((await store.take([charge], true)).states[0]![2]).toBe(4);
    await redis.close();
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    expect(redis.isOpen).toBe(false);
  },
);

test("waits for a Sentinel of node-redis 5, which tells nothing of itself, and for none that is lost", async () => {
  const made = await server();
  const sentinelRootNodes = [{ host: "127.0.0.1", port: await sentinel(made.port) }];
  const redis = createSentinel5({ name: "primary", sentinelRootNodes });
  redis.on("error", () => {});
  const store = redisStore(redis as never, { deadline: 10_000 });
  const connecting = redis.connect();
  expect((await store.take([charge], true)).fits).toEqual([true]);
  await connecting;
  await redis.close();
  await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
  expect(redis.isOpen).toBe(false);

  const nowhere = [{ host: "127.0.0.1", port: await freePort() }];
  const lost = createSentinel5({
    name: "primary",
    maxCommandRediscovers: 1,
    sentinelRootNodes: nowhere,
  });
  lost.on("error", () => {});
  for (const prefix of ["a:", "a:", "b:"]) {
    const useless = redisStore(lost as never, { deadline: 60_000, prefix });
    await expect(useless.take([charge], true)).rejects.toThrow(/cannot be reached/);
  }
});

test.each([
  ["it connects itself", false],
  ["its owner connects", true],
])(
  "connects a node-redis Sentinel again whose first connecting failed, where %s",
  async (_, owned) => {
    const made = await server();
    const port = await freePort();
    const redis = createSentinel({
      name: "primary",
      maxCommandRediscovers: 1,
      sentinelRootNodes: [{ host: "127.0.0.1", port }],
    });
    redis.on("error", () => {});
    const store = redisStore(redis, { deadline: 10_000 });
    if (owned) await expect(redis.connect()).rejects.toThrow();
    else await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    await sentinel(made.port, port);
    expect((await store.take([charge], true)).fits).toEqual([true]);
    await redis.close();
    await expect(store.take([charge], true)).rejects.toThrow(/cannot be reached/);
    expect(redis.isOpen).toBe(false);
  },
);

test("rejects at once, and for good, with a client that was ended", async () => {
  const { port } = await server();
  const redis = client(port);
  const store = redisStore(redis, { deadline: 60_000 });
  await store.take([charge], true);
  redis.disconnect();
  await vi.waitFor(() => expect(redis.status).toBe("end"), 10_000);
  await expect(store.take([charge], true)).rejects.toThrow(
    /cannot be reached: the client is not connected/,
  );
  await expect(store.reset(policy, "k")).rejects.toBeInstanceOf(StoreError);
  await expect(store.ready()).rejects.toBeInstanceOf(StoreError);
});

test("forgets and goes on when Redis is killed and comes back empty", async () => {
  const made = await server();
  const redis = client(made.port);
  const limiter = createLimiter({
    ...open,
    store: redisStore(redis, { deadline: 2000 }),
    onError: () => {},
  });
  for (let i = 0; i < 3; i++) await limiter.check("key");
  const inFlight = Array.from({ length: 50 }, () => limiter.check("key"));
  await made.kill();
  const decisions = await Promise.all(inFlight);
  for (const { reason } of decisions) expect(["limited", "store-unavailable"]).toContain(reason);
  await vi.waitFor(
    async () => expect((await limiter.check("key")).reason).toBe("store-unavailable"),
    10_000,
  );

  await made.start();
  await vi.waitFor(async () => expect((await limiter.check("other")).reason).toBe("ok"), 10_000);
  expect((await limiter.check("key")).remaining).toBeLessThanOrEqual(1);
});

test("answers while Redis is stopped, and lets what it owes come late", async () => {
  const made = await server();
  const redis = client(made.port);
  const store = redisStore(redis, { deadline: 30 });
  await vi.waitFor(() => store.ready(), 10_000);
  await made.kill("SIGSTOP");
  for (let i = 0; i < 5; i++) {
    await expect(store.take([charge], true)).rejects.toThrow("Redis did not answer within 30 ms");
  }
  await made.kill("SIGCONT");
  await vi.waitFor(() => store.take([charge], false), 10_000);
  expect(redis.listenerCount("ready") + redis.listenerCount("close")).toBe(0);
});

test("sends no more than 64 calls to a Redis that owes their answers", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const store = redisStore(client(between.port), { deadline: 5 });
  await vi.waitFor(() => store.ready(), 10_000);
  between.hold();
  const failures = () => failuresOf(64, () => store.take([charge], true));
  expect(await failures()).toEqual(Array(64).fill("Redis did not answer within 5 ms"));
  expect(await failures()).toEqual(Array(64).fill(owes64));
  between.release();
  await vi.waitFor(() => store.take([charge], false), 10_000);
});

test("sends no more than 64 calls by a client that gives each up by itself, and sees its silence", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port, { commandTimeout: 5 });
  const store = redisStore(redis, { deadline: 5000 });
  await vi.waitFor(() => store.take([charge], true), 10_000);
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  freed(clock, (spy) => spy.mockRestore());
  between.hold();
  const failures = (count: number) => failuresOf(count, () => store.take([charge], true));
  const gaveUp = "Redis could not answer: Command timed out";
  expect(await failures(64)).toEqual(Array(64).fill(gaveUp));
  expect(await failures(64)).toEqual(Array(64).fill(owes64));
  // It may be back, which only a call can tell.
  clock.mockReturnValue(performance.now() + 1000);
  expect(await failures(3)).toEqual([gaveUp, ...Array(2).fill(owes64)]);
  const given = vi.spyOn(redis, "disconnect");
  clock.mockReturnValue(performance.now() + 50_000);
  await failures(1);
  expect(given).toHaveBeenCalledTimes(1);
  between.release();
  await vi.waitFor(() => {
    clock.mockReturnValue(performance.now() + 1000);
    return store.take([charge], false);
  }, 10_000);
  await store.take([charge], false);
});

test("asks for another connection when one has gone silent, and not before", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port);
  const store = redisStore(redis, { deadline: 5 });
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  freed(clock, (spy) => spy.mockRestore());
  await vi.waitFor(() => store.ready(), 10_000);
  // A time without calls is not silence of Redis.
  clock.mockReturnValue(performance.now() + 5000);
  between.hold();
  const given = vi.spyOn(redis, "disconnect");
  const failures = (count: number) => failuresOf(count, () => store.take([charge], true));
  await failures(64);
  for (const [elapsed, gone] of [
    [0, 0],
    [1000, 0],
    [1, 1],
  ] as const) {
    clock.mockReturnValue(performance.now() + elapsed);
    expect(await failures(1)).toEqual([owes64]);
    expect(given).toHaveBeenCalledTimes(gone);
  }
  await vi.waitFor(() => expect(between.connections).toBe(2), 20_000);
  clock.mockRestore();
  between.release();
  await vi.waitFor(() => store.take([charge], false), 10_000);
});

test("reads a reply that arrived while the process was blocked for longer than the deadline", async () => {
  const made = await server();
  const store = redisStore(client(made.port), { deadline: 20 });
  // Also makes Redis know the script, which is sent at the first call.
  await vi.waitFor(() => store.take([charge], true), 10_000);
  for (let i = 0; i < 3; i++) {
    const taken = store.take([charge], true);
    // The call leaves in the check phase of this turn, and the block begins after it.
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 60;
    // Redis answers in the order of arrival.
    do spawnSync("redis-cli", ["-p", String(made.port), "ping"]);
    while (performance.now() < until);
    expect((await taken).fits).toEqual([true]);
  }
});

test("charges once more at the most where a reply is lost and the client sends the call again", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port);
  const store = redisStore(redis, { deadline: 2000 });
  await store.take([charge], true);
  between.loseNextReply();
  const taken = await store.take([charge], true);
  // The client has sent it again by itself, so that one unit too many is used.
  expect(taken.states[0]![2]).toBe(3);
  expect((await store.take([charge], true)).states[0]![2]).toBe(4);
});

test("fails the call whose reply is lost where the client does not send again, and stays exact after", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port, {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  const store = redisStore(redis, { deadline: 2000 });
  await store.take([charge], true);
  between.loseNextReply();
  await expect(store.take([charge], true)).rejects.toBeInstanceOf(StoreError);
  const { states } = await vi.waitFor(() => store.take([charge], false), 10_000);
  expect(states[0]![2]).toBe(2);
});

test("survives a storm of reconnections", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port);
  const before = listeners(redis);
  const limiter = createLimiter({
    ...open,
    store: redisStore(redis, { deadline: 2000 }),
    onError: () => {},
  });
  const reasons = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const asked = [limiter.check("key"), limiter.check("key")];
    between.cut();
    for (const { reason } of await Promise.all(asked)) reasons.add(reason);
  }
  for (const reason of reasons) expect(["ok", "limited", "store-unavailable"]).toContain(reason);
  await vi.waitFor(
    async () => expect((await limiter.check("key")).reason).not.toBe("store-unavailable"),
    10_000,
  );
  expect(listeners(redis)).toBe(before);
});

test("B112: a process ends by itself once its client is closed, and closing the store twice is fine", async () => {
  const { port } = await server();
  const worker = await bundled(new URL("../workers/once.ts", import.meta.url));
  freed(worker, (path) => rm(dirname(path), { recursive: true }));
  const { stdout } = await promisify(execFile)(process.execPath, [worker, String(port)], {
    timeout: 20_000,
  });
  expect(stdout).toBe("true closed ready");
}, 30_000);

test("B117: goes on after the server kills its connection, twice", async () => {
  const { port } = await server();
  const redis = client(port);
  const admin = client(port);
  const limiter = createLimiter({
    ...open,
    store: redisStore(redis, { deadline: 2000 }),
    onError: () => {},
  });
  for (const remaining of [1, 0]) {
    await vi.waitFor(
      async () => expect((await limiter.peek("key")).reason).not.toBe("store-unavailable"),
      10_000,
    );
    expect((await limiter.check("key")).remaining).toBe(remaining);
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  }
  await vi.waitFor(async () => expect((await limiter.check("key")).reason).toBe("limited"), 10_000);
});

test("B118, B119: a Redis that is slow is a failure, open or closed, and never a refusal", async () => {
  const made = await server();
  const between = await proxy(made.port);
  const redis = client(between.port);
  const errors: unknown[] = [];
  const store = redisStore(redis, { deadline: 20 });
  await vi.waitFor(() => store.ready(), 10_000);
  between.hold();
  for (const onStoreError of ["open", "closed"] as const) {
    const limiter = createLimiter({
      ...open,
      onStoreError,
      store,
      onError: (error) => errors.push(error),
    });
    for (let i = 0; i < 10; i++) {
      const { allowed, reason, degraded } = await limiter.check("key");
      expect([allowed, reason, degraded]).toEqual([
        onStoreError === "open",
        "store-unavailable",
        true,
      ]);
    }
    const asked = limiter.checkOrThrow("key");
    if (onStoreError === "open") expect((await asked).allowed).toBe(true);
    else await expect(asked).rejects.toMatchObject({ code: "ERR_STORE_UNAVAILABLE" });
  }
  expect(errors.length).toBeGreaterThanOrEqual(20);
  for (const error of errors) expect(error).toBeInstanceOf(StoreError);
  const before = errors.length;
  between.release();
  await vi.waitFor(() => store.ready(), 10_000);
  expect(errors.length).toBe(before);
});

test("B122: the fallback limits while Redis is away, is told of once, and hands back", async () => {
  const { port } = await server();
  const redis = client(port);
  const clock = manualClock();
  const told: string[] = [];
  const store = fallbackStore(redisStore(redis, { deadline: 2000 }), {
    clock,
    onEnter: () => told.push("enter"),
    onLeave: () => told.push("leave"),
  });
  const limiter = createLimiter({ limit: 5, window: "30d", algorithm: "fixed-window", store });
  for (const remaining of [4, 3, 2]) expect((await limiter.check("key")).remaining).toBe(remaining);
  redis.disconnect();
  await vi.waitFor(() => expect(redis.status).toBe("end"), 10_000);
  const during = [];
  for (let i = 0; i < 10; i++) during.push(await limiter.check("key"));
  expect(during.filter(({ allowed }) => allowed)).toHaveLength(5);
  expect(during.every(({ degraded }) => degraded)).toBe(true);
  expect(told).toEqual(["enter"]);

  await redis.connect();
  clock.advance(1000);
  const after = [];
  for (let i = 0; i < 3; i++) after.push(await limiter.check("key"));
  expect(after.map(({ reason, degraded }) => [reason, degraded])).toEqual([
    ["ok", false],
    ["ok", false],
    ["limited", false],
  ]);
  expect(told).toEqual(["enter", "leave"]);
});
