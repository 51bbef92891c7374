import { createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import { freed } from "../support/cleanup.ts";
import { clusterClient, startCluster } from "../support/cluster.ts";
import { client, server } from "../support/redis.ts";
import { sentinel } from "../support/sentinel.ts";

const options = { algorithm: "fixed-window", limit: 3, window: "30d", onError: () => {} } as const;
const patient = { timeout: 30_000, interval: 50 };

test("B132: a cluster whose reads are scaled, and that loses a master: its keys fail in time, the others go on, and its replica takes over", async () => {
  const nodes = await startCluster(1);
  freed(nodes, (all) => Promise.all(all.map((node) => node.stop())));
  const redis = clusterClient(nodes);
  const limiter = createLimiter({ ...options, store: redisStore(redis, { deadline: 2000 }) });
  // B132: reads may be scaled to replicas, decisions go to the masters.
  const scaled = redisStore(clusterClient(nodes, { scaleReads: "slave" }), { deadline: 10_000 });
  const of = createLimiter({ ...options, name: "scaled", store: scaled });
  await vi.waitFor(() => scaled.ready(), patient);
  const mixed = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? of.check("key") : of.peek("key"))),
  );
  expect(mixed.filter(({ allowed }, i) => i % 2 && allowed)).toHaveLength(3);
  expect(mixed.map(({ reason }) => reason)).not.toContain("store-unavailable");

  const keys = Array.from({ length: 30 }, (_, i) => `key:${i}`);
  await vi.waitFor(async () => expect((await limiter.check("warm")).reason).toBe("ok"), patient);
  for (const key of keys) expect((await limiter.check(key)).remaining).toBe(2);
  const masters = redis.nodes("master");
  for (const master of masters) expect(await master.wait(1, 5000)).toBeGreaterThan(0);

  // No replica takes over before it is told to.
  const mayTakeOver = (may: "yes" | "no") =>
    Promise.all(
      redis
        .nodes("slave")
        .map((node) =>
          node.config("SET", "cluster-replica-no-failover", may === "no" ? "yes" : "no"),
        ),
    );
  await mayTakeOver("no");
  const lost = masters[0]!;
  const theirs = (await lost.keys("*")).map((name) => name.slice("rl:1f{".length, -1));
  await nodes.find(({ port }) => port === lost.options.port)!.kill();
  const reasons = await Promise.all(
    keys.map(async (key) => [key, (await limiter.check(key)).reason]),
  );
  expect(theirs.length * (keys.length - theirs.length)).toBeGreaterThan(0);
  for (const [key, reason] of reasons) {
    expect(reason).toBe(theirs.includes(key!) ? "store-unavailable" : "ok");
  }
  await mayTakeOver("yes");

  await vi.waitFor(async () => {
    for (const key of keys) expect((await limiter.peek(key)).reason).not.toBe("store-unavailable");
  }, patient);
  // The replica knew what was used.
  for (const key of keys) expect((await limiter.peek(key)).remaining).toBeLessThanOrEqual(2);
}, 90_000);

test("Sentinel makes the replica the primary: limits hold on it, with what was used", async () => {
  const primary = await server();
  const replica = await server({ args: ["--replicaof", "127.0.0.1", String(primary.port)] });
  const port = await sentinel(primary.port);
  const redis = freed(
    new Redis({
      sentinels: [{ host: "127.0.0.1", port }],
      name: "primary",
      sentinelRetryStrategy: () => 50,
      retryStrategy: () => 50,
    }),
    (made) => made.disconnect(),
  );
  redis.on("error", () => {});
  const limiter = createLimiter({ ...options, store: redisStore(redis, { deadline: 2000 }) });
  await vi.waitFor(async () => expect((await limiter.check("key")).reason).toBe("ok"), patient);
  const watch = client(port);
  await vi.waitFor(async () => {
    expect(await redis.wait(1, 1000)).toBe(1);
    expect(await watch.call("SENTINEL", "REPLICAS", "primary")).toHaveLength(1);
  }, patient);

  await primary.kill();
  await vi.waitFor(() => expect(redis.status).not.toBe("ready"), patient);
  expect((await limiter.check("key")).reason).toBe("store-unavailable");
  // Refused for as long as the sentinel has not heard from the replica lately.
  await vi.waitFor(() => watch.call("SENTINEL", "FAILOVER", "primary"), patient);
  await vi.waitFor(async () => expect((await limiter.peek("key")).reason).toBe("ok"), patient);
  expect(redis.stream.remotePort).toBe(replica.port);
  const used = await Promise.all([1, 2, 3].map(() => limiter.check("key")));
  expect(used.map(({ reason }) => reason)).toEqual(["ok", "ok", "limited"]);
}, 90_000);
