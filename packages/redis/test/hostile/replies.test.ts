import { StoreError } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { type NodeRedisArguments, type RedisClient, redisStore } from "@spillway/redis";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { createClient, RESP_TYPES } from "redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { policyOf } from "../support/policy.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await redisServer();
});

afterAll(() => server.stop());

type Made = [client: RedisClient, close: () => unknown];

const nodeRedis = (RESP: 2 | 3, typeMapping: object) => (): Made => {
  const url = `redis://127.0.0.1:${server.port}`;
  const client = createClient({ url, RESP, commandOptions: { typeMapping } });
  client.on("error", () => {});
  return [client as unknown as RedisClient, () => client.close()];
};

const ioredis = (options: object) => (): Made => {
  const client = new Redis({ port: server.port, ...options });
  return [client, () => client.disconnect()];
};

const texts = { [RESP_TYPES.NUMBER]: String };
const buffers = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.SIMPLE_STRING]: Buffer };

const clients: readonly (readonly [string, () => Made])[] = [
  ["ioredis by RESP2", ioredis({ protocol: 2 })],
  ["ioredis by RESP2 with texts", ioredis({ protocol: 2, stringNumbers: true })],
  ["ioredis by RESP3", ioredis({ protocol: 3 })],
  ["ioredis by RESP3 in its shapes", ioredis({ protocol: 3, replyMapping: "resp3" })],
  ["ioredis by RESP3 with texts", ioredis({ protocol: 3, stringNumbers: true })],
  ...([2, 3] as const).flatMap((resp) => [
    [`node-redis by RESP${resp}`, nodeRedis(resp, {})] as const,
    [`node-redis by RESP${resp} with texts`, nodeRedis(resp, texts)] as const,
    [`node-redis by RESP${resp} with buffers`, nodeRedis(resp, buffers)] as const,
    [`node-redis by RESP${resp} with both`, nodeRedis(resp, { ...texts, ...buffers })] as const,
  ]),
];

test.each(clients)("%s is read exactly, errors too", async (name, make) => {
  const [client, close] = make();
  const clock = manualClock();
  const prefix = `${name.replaceAll(" ", "-")}:`;
  const store = redisStore(client, { deadline: 10_000, clock, prefix });
  const largest = Number.MAX_SAFE_INTEGER;
  for (const limit of [1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 48, 2 ** 52, 2 ** 52 + 1, largest]) {
    for (const now of [0, 2 ** 32, 2 ** 40, 2 ** 48, 1_700_006_400_000]) {
      clock.set(now);
      const window = 2 ** 40;
      const align = "first-request";
      const policy = policyOf({ name: `${limit}/${now}`, align, limit, window });
      const charge = { policy, key: "k", cost: limit };
      const left = [[now, window, limit, 0]];
      expect((await store.take([charge], true)).states).toEqual(left);
      expect((await store.take([charge], true)).fits).toEqual([false]);
      const looks = [store.take([charge], false), store.take([charge, charge], false)];
      const [one, two] = await Promise.all(looks);
      expect([one!.states, two!.states]).toEqual([left, [...left, ...left]]);
    }
  }
  const policy = policyOf();
  const admin = new Redis(server.port);
  await admin.set(`${prefix}1f:p{bad}`, "text");
  admin.disconnect();
  const take = (key: string) => store.take([{ policy, key, cost: 1 }], true);
  const failed = expect.objectContaining({ message: expect.stringContaining("p{bad} holds data") });
  await expect(take("bad")).rejects.toEqual(failed);
  const [good, bad] = await Promise.allSettled([take("good"), take("bad")]);
  expect(good).toMatchObject({ status: "fulfilled", value: { fits: [true] } });
  expect((bad as PromiseRejectedResult).reason).toBeInstanceOf(StoreError);
  expect((bad as PromiseRejectedResult).reason).toEqual(failed);
  await close();
});

/** Creates the least that `await` accepts: `then` returns nothing, and requires both functions. */
function thenable(promise: Promise<unknown>): Promise<unknown> {
  const then = (fulfilled: (value: unknown) => unknown, rejected: (error: unknown) => unknown) => {
    if (typeof rejected !== "function") throw new Error("wants both");
    void promise.then(fulfilled, rejected);
  };
  // biome-ignore lint/suspicious/noThenProperty: what this test is about
  return Object.defineProperty({}, "then", { value: then }) as Promise<unknown>;
}

test("a client that answers thenables which are no promises is waited for", async () => {
  const io = new Redis({ port: server.port });
  await io.script("FLUSH");
  const node = createClient({ url: `redis://127.0.0.1:${server.port}` });
  node.on("error", () => {});
  const clients: RedisClient[] = [
    {
      evalsha: (...args: [string, number, ...string[]]) => thenable(io.evalsha(...args)),
      eval: (...args: [string, number, ...string[]]) => thenable(io.eval(...args)),
    },
    {
      get isOpen() {
        return node.isOpen;
      },
      get isReady() {
        return node.isReady;
      },
      evalSha: (...args) => thenable(node.evalSha(...args)),
      eval: (text: string, given: NodeRedisArguments) => thenable(node.eval(text, given)),
      connect: () => thenable(node.connect()),
      on: (...args) => node.on(...args),
      off: (...args) => node.off(...args),
    },
  ];
  for (const client of clients) {
    const store = redisStore(client, { deadline: 10_000, prefix: "thenable:" });
    const charge = { policy: policyOf({ limit: 2 }), key: "k", cost: 1 };
    await store.ready();
    const taken = await store.take([charge], true);
    expect([taken.fits, (await store.take([{ ...charge, cost: 2 }], true)).fits]).toEqual([
      [true],
      [false],
    ]);
    await store.give({ charges: [charge], ...taken });
    expect((await store.take([{ ...charge, cost: 2 }], true)).fits).toEqual([true]);
    await store.reset(charge.policy, "k");
    await io.script("FLUSH");
  }
  await node.close();
  io.disconnect();
});

test("options are read once: what is used is what was checked", async () => {
  let reads = 0;
  const options = {
    get prefix() {
      return reads++ === 0 ? "once:" : "a b";
    },
  };
  const io = new Redis({ port: server.port });
  await redisStore(io, options).take([{ policy: policyOf(), key: "k", cost: 1 }], true);
  expect(await io.keys("once:*")).toHaveLength(1);
  io.disconnect();
});
