import { createLimiter, leasedStore } from "@spillway/core";
import { manualClock, storeSuite } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { client, server } from "./support/redis.ts";

vi.setConfig({ testTimeout: 30_000 });

describe("a leased store on Redis", () => {
  let shared: RedisServer;
  beforeAll(async () => {
    shared = await redisServer();
  });
  afterAll(() => shared.stop());

  storeSuite(it, async ({ clock }) => {
    const redis = new Redis(shared.port);
    await redis.flushall();
    const store = leasedStore(redisStore(redis, { clock, deadline: 30_000 }), { clock });
    return { ...store, close: () => void redis.disconnect() };
  });
});

const size = { name: "p", limit: 3000, window: "1h" } as const;

test.each(["fixed-window", "sliding-window", "token-bucket"] as const)(
  "servers that take ahead admit a %s to the unit, at a fraction of the calls",
  async (algorithm) => {
    const redis = await server();
    const clock = manualClock();
    const stores = [1, 2, 3].map(() => {
      const store = redisStore(client(redis.port), { clock, deadline: 30_000 });
      return leasedStore(store, { clock, share: 0.1 });
    });
    let admitted = 0;
    const serve = async (store: (typeof stores)[number]): Promise<void> => {
      const limiter = createLimiter({ ...size, algorithm, store });
      const caller = async (): Promise<void> => {
        while ((await limiter.check("k")).allowed) admitted++;
      };
      await Promise.all([1, 2, 3, 4].map(caller));
    };
    await Promise.all(stores.map(serve));
    await Promise.all(stores.map((store) => store.close!()));

    const eye = client(redis.port);
    const plain = createLimiter({ ...size, algorithm, store: redisStore(eye, { clock }) });
    const { remaining } = await plain.peek("k");
    expect(admitted + remaining).toBe(3000);
    expect(remaining).toBeLessThan(10);
    const stats = await eye.info("commandstats");
    const [, calls] = /cmdstat_evalsha:calls=(\d+)/.exec(stats)!;
    expect(Number(calls)).toBeLessThan(600);
  },
);

test("what is held is spent while Redis is away, and asked for again when it is back", async () => {
  const redis = await server();
  const clock = manualClock();
  const store = leasedStore(redisStore(client(redis.port), { clock }), { clock });
  const errors: unknown[] = [];
  const limiter = createLimiter({ ...size, store, onError: (error) => errors.push(error) });
  for (let i = 0; i < 24; i++) await limiter.check("k");
  await redis.kill();
  const reasons = [];
  for (let i = 0; i < 60; i++) reasons.push((await limiter.check("k")).reason);
  const held = reasons.indexOf("store-unavailable");
  expect(held).toBeGreaterThan(5);
  expect(held).toBeLessThanOrEqual(30);
  expect(errors).toHaveLength(60 - held);
  await redis.start();
  await expect.poll(async () => (await limiter.check("k")).reason).toBe("ok");
});
