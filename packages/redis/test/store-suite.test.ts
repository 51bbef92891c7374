import { storeSuite } from "@spillway/core/testing";
import { type RedisClient, redisStore } from "@spillway/redis";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis5";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, it, vi } from "vitest";

let server: RedisServer;

beforeAll(async () => {
  server = await redisServer();
});

afterAll(() => server.stop());

vi.setConfig({ testTimeout: 30_000 });

describe.each<[string, () => [RedisClient, () => unknown]]>([
  [
    "ioredis 6",
    () => {
      const client = new Redis(server.port);
      return [client, () => client.quit()];
    },
  ],
  [
    "ioredis 5 with a key prefix and pipelines of its own, connected by the store",
    () => {
      const client = new Redis5(server.port, {
        keyPrefix: "app:",
        lazyConnect: true,
        enableAutoPipelining: true,
      });
      return [client, () => client.quit()];
    },
  ],
  [
    "node-redis 6, connected by the store",
    () => {
      const client = createClient({ url: `redis://127.0.0.1:${server.port}` });
      return [client, () => client.close()];
    },
  ],
])("with %s", (name, make) => {
  let made = 0;
  storeSuite(it, ({ clock }) => {
    const [client, close] = make();
    const prefix = `${name.replaceAll(" ", "-")}-${made++}:`;
    return { store: redisStore(client, { clock, prefix, deadline: 10_000 }), close };
  });
});
