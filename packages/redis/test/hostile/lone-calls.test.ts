import { type AlgorithmName, algorithms, createLimiter, StoreError } from "@spillway/core";
import { type RedisStore, redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import { answerTo } from "../../src/answer.ts";
import { type Batch, batchesOf } from "../../src/batches.ts";
import { callOf } from "../../src/call.ts";
import { keyNames } from "../../src/key-names.ts";
import { alikeScripts } from "../../src/script/alike-scripts.ts";
import { freePort } from "../../src/testing/redis-server.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
/** A window that hardly ever ends while a test runs. */
const window = 30 * 86_400_000;
const bans = { durations: [60_000, 90_000], extend: false, status: undefined, body: undefined };
const ban = { after: 1, within: 5000, ...bans };
/** One policy for each script of the library, and for the one for any call. */
const policies = (Object.keys(algorithms) as AlgorithmName[]).flatMap((algorithm) => [
  policyOf({ name: algorithm, algorithm, limit: 30, window }),
  policyOf({ name: `${algorithm}-ban`, algorithm, limit: 30, window, ban }),
]);

function take(store: RedisStore, i: number, key = "k", keep = true) {
  return store.take([{ policy: policies[i]!, key, cost: 1 }], keep);
}

test("every script is found missing in the middle of a burst, and charges once", async () => {
  const { port } = await server();
  const [redis, other] = [client(port), client(port)];
  const store = redisStore(redis, { deadline });
  let flushing = true;
  const flush = async (): Promise<void> => {
    while (flushing) await other.script("FLUSH");
  };
  const flushed = flush();
  for (const [i, policy] of policies.entries()) {
    const admitted = { lone: 0, batched: 0 };
    const call = async (key: "lone" | "batched", most: number): Promise<void> => {
      for (let n = 0; n < 40 / most; n++) {
        const asked = Array.from({ length: most }, () => take(store, i, key));
        for (const { fits } of await Promise.all(asked)) if (fits[0]) admitted[key]++;
      }
    };
    await call("lone", 1);
    await call("batched", 4);
    expect(admitted, policy.name).toEqual({ lone: 30, batched: 30 });
  }
  flushing = false;
  await flushed;
});

test("every script does nothing where Redis meets it after its time", async () => {
  const redis = client((await server()).port);
  const names = keyNames("rl:");
  const run = async (policy: (typeof policies)[number], last: number) => {
    const operations = [
      { type: "take", charges: [{ policy, key: "k", cost: 1 }], keep: true },
    ] as const;
    const now = Date.now();
    const [{ script }] = batchesOf([{ operation: operations[0] }], alikeScripts(), now) as [
      Batch<unknown>,
    ];
    const { keys, args } = callOf(operations, names, script, { now, last, clock: undefined });
    return answerTo(
      operations,
      await redis.eval(script.text, keys.length, ...keys, ...args),
      script,
    );
  };
  for (const policy of policies) {
    for (const ago of [2000, 3_600_000, 40_000_000]) {
      expect((await run(policy, Date.now() - ago)).outcomes).toBeUndefined();
    }
    expect(await redis.keys("*")).toEqual([]);
    expect((await run(policy, Date.now() + 5000)).outcomes).toMatchObject([{ fits: [true] }]);
    await redis.flushall();
  }
});

/** Returns the error of a lone call of every policy; undefined if it is answered. */
async function problems(store: RedisStore, key: string): Promise<(string | undefined)[]> {
  const answers = await Promise.allSettled(
    policies.map(async (_, i) => {
      // Turn by turn, so that each call is a lone one.
      for (let turn = 0; turn < 2 * i; turn++) await new Promise(setImmediate);
      return take(store, i, key);
    }),
  );
  return answers.map((answer) => {
    if (answer.status === "fulfilled") return undefined;
    expect(answer.reason).toBeInstanceOf(StoreError);
    return (answer.reason as StoreError).message;
  });
}

/** Starts a server on which `used` has one charge of every policy, and `spent` as many as fit. */
async function filled(): Promise<{ redis: Redis; store: RedisStore }> {
  const redis = client((await server()).port);
  const store = redisStore(redis, { deadline });
  for (const [i, policy] of policies.entries()) {
    await take(store, i, "used");
    await store.take([{ policy, key: "spent", cost: policy.maxCost }], true);
    // For a ban, the refusal that begins it.
    if (policy.ban) await take(store, i, "spent");
  }
  return { redis, store };
}

test.each([
  [
    "full",
    /OOM/,
    [
      ["maxmemory-policy", "noeviction"],
      ["maxmemory", "1"],
    ],
    ["maxmemory", "0"],
  ],
  [
    "without replicas",
    /NOREPLICAS/,
    [["min-replicas-to-write", "1"]],
    ["min-replicas-to-write", "0"],
  ],
] as const)(
  "a server %s refuses what is refused, answers looks, and charges nothing",
  async (_, error, before, after) => {
    const { redis, store } = await filled();
    for (const [name, value] of before) await redis.config("SET", name, value);
    const states = await Promise.all((await redis.keys("*")).map((key) => redis.dump(key)));
    for (const key of ["new", "used"]) {
      for (const problem of await problems(store, key)) expect(problem).toMatch(error);
    }
    for (const problem of await problems(store, "spent")) expect(problem).toBeUndefined();
    for (const i of policies.keys()) {
      expect((await take(store, i, "used", false)).fits).toEqual([true]);
      expect((await take(store, i, "spent")).fits).toEqual([false]);
    }
    const left = await Promise.all((await redis.keys("*")).map((key) => redis.dump(key)));
    expect(left.sort()).toEqual(states.sort());
    await redis.config("SET", ...after);
    expect(new Set(await problems(store, "new"))).toEqual(new Set([undefined]));
  },
);

test("a replica charges nobody, and asks for another connection, by any script", async () => {
  const { redis, store } = await filled();
  await redis.replicaof("127.0.0.1", await freePort());
  const connected = vi.fn();
  redis.on("connect", connected);
  for (const problem of await problems(store, "new")) {
    expect(problem).toMatch(/READONLY|cannot be reached|Connection is closed/);
  }
  await vi.waitFor(() => expect(connected).toHaveBeenCalled(), 10_000);
});

test("READONLY is seen as older servers say it too", async () => {
  const { port } = await server();
  const redis = client(port);
  await redis.ping();
  await client(port).replicaof("127.0.0.1", await freePort());
  // Up to 6.2 a script's error comes after a place in the script.
  const older = (error: Error): never => {
    const told = /^READONLY .*?replica\./.exec(error.message)?.[0];
    throw new Error(
      `ERR Error running script (call to f_0): @user_script:9: @user_script: 9: -${told} `,
    );
  };
  const wrapped = Object.assign(Object.create(redis) as Redis, {
    evalsha: (...args: [string, number, ...string[]]) => redis.evalsha(...args),
    eval: (...args: [string, number, ...string[]]) => redis.eval(...args).catch(older),
  });
  const connected = vi.fn();
  redis.on("connect", connected);
  await expect(take(redisStore(wrapped, { deadline }), 0)).rejects.toThrow(/READONLY/);
  await vi.waitFor(() => expect(connected).toHaveBeenCalled(), 10_000);
});

test("a user who may not send the text is told so, and is served once another brought it", async () => {
  const { port } = await server();
  const admin = client(port);
  const commands = "+evalsha +time +get +set +getrange +setrange +del +pexpire +pttl".split(" ");
  const connecting = ["+hello", "+client", "+info"];
  await admin.call("ACL", "SETUSER", "limits", "on", ">pw", "~rl:*", ...commands, ...connecting);
  const store = redisStore(client(port, { username: "limits", password: "pw" }), { deadline });
  await expect(store.ready()).rejects.toThrow(/NOPERM/);
  for (const problem of await problems(store, "k")) expect(problem).toMatch(/NOPERM/);
  const whole = redisStore(admin, { deadline });
  await whole.ready();
  for (const i of policies.keys()) await take(whole, i, "other");
  await store.ready();
  expect(new Set(await problems(store, "k"))).toEqual(new Set([undefined]));
});

test("a server that takes no more clients is a failure of the store, until it does", async () => {
  const { port } = await server();
  const admin = client(port);
  await admin.config("SET", "maxclients", "1");
  const store = redisStore(client(port), { deadline: 300 });
  const options = { limit: 2, window: "1h", store, onError: () => {} } as const;
  const limiter = createLimiter(options);
  for (let i = 0; i < 5; i++) {
    expect((await limiter.check("key")).reason).toBe("store-unavailable");
  }
  await admin.config("SET", "maxclients", "100");
  await vi.waitFor(async () => expect((await limiter.check("key")).reason).toBe("ok"), 10_000);
});
