import { createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis5";
import { createClient, createCluster, createSentinel } from "redis";
import { describe, test } from "vitest";

describe("clients that need no cast (B142)", () => {
  test("ioredis 6 and 5, single, Sentinel and Cluster", () => {
    redisStore(new Redis());
    redisStore(new Redis({ sentinels: [{ host: "a", port: 1 }], name: "primary" }));
    redisStore(new Cluster([{ host: "a", port: 1 }]));
    redisStore(new Redis.Cluster([{ host: "a", port: 1 }]));
    redisStore(new Redis5());
    redisStore(new Cluster5([{ host: "a", port: 1 }]));
    createLimiter({ limit: 1, window: "1s", store: redisStore(new Redis(), { deadline: 50 }) });
  });

  test("node-redis 6, single, Sentinel and cluster", () => {
    redisStore(createClient());
    redisStore(createCluster({ rootNodes: [{ url: "redis://a:1" }] }));
    redisStore(createSentinel({ name: "primary", sentinelRootNodes: [{ host: "a", port: 1 }] }));
  });

  test("a client written by hand", () => {
    redisStore({
      evalsha: async (sha: string, numkeys: number, ...args: string[]) => [sha, numkeys, args],
      eval: async (text: string, numkeys: number, ...args: string[]) => [text, numkeys, args],
    });
  });

  test("an object that lacks a method does not compile", () => {
    // @ts-expect-error
    redisStore({ status: "ready", evalsha: async () => undefined });
    // @ts-expect-error
    redisStore("redis://localhost");
    // @ts-expect-error
    redisStore(new Redis(), { prefx: "rl:" });
  });
});
