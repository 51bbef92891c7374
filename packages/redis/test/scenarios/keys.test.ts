import { createLimiter, type LimiterOptions } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";
import { createClient, createClientPool } from "redis";
import { createClientPool as createClientPool5 } from "redis5";
import { describe, expect, test } from "vitest";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
const fixed = { algorithm: "fixed-window", align: "first-request", window: "60s" } as const;

test("B14: parts that hold the separators of keys make different keys", async () => {
  const redis = client((await server()).port);
  const store = redisStore(redis, { deadline });
  const pairs = [
    ["a:b", "c"],
    ["a", "b:c"],
    ["x", ""],
    ["x{", "}"],
    ["x", "{}"],
    ["%", "0025"],
    ["%0025", "%"],
    ["\n", "\0"],
    [" ", "\r\n"],
    ["%h", "%%"],
  ];
  const seen = new Set<string>();
  for (const [space, key] of pairs) {
    const { fits } = await store.take(
      [{ policy: policyOf({ name: space!, limit: 1 }), key: key!, cost: 1 }],
      true,
    );
    expect(fits, JSON.stringify([space, key])).toEqual([true]);
  }
  for (const name of await redis.keys("*")) {
    seen.add(name);
    expect(name).toMatch(/^[\x21-\x7e]+$/);
    expect(name.match(/[{}]/g)).toEqual(["{", "}"]);
  }
  expect(seen.size).toBe(pairs.length);
});

test("B15: keys of any length are told apart, and stored short", async () => {
  const redis = client((await server()).port);
  const limiter = createLimiter({ ...fixed, limit: 1, store: redisStore(redis, { deadline }) });
  const long = "k".repeat(65_535);
  for (const key of [`${long}a`, `${long}b`]) {
    expect((await limiter.check(key)).allowed).toBe(true);
    expect((await limiter.check(key)).allowed).toBe(false);
  }
  await Promise.all(Array.from({ length: 1000 }, (_, i) => limiter.check(`${long}${i}`)));
  const names = await redis.keys("*");
  expect(names).toHaveLength(1002);
  for (const name of names) expect(name.length).toBeLessThan(100);
});

test("B28: two limiters on one store do not share a counter by accident", async () => {
  const redis = client((await server()).port);
  const clock = manualClock();
  const of = (limit: number, window: "30s" | "1s") =>
    createLimiter({ ...fixed, limit, window, store: redisStore(redis, { deadline, clock }) });
  const users = of(100, "30s");
  const purchases = of(1, "1s");
  expect(await purchases.check("ip")).toMatchObject({
    allowed: true,
    remaining: 0,
    resetAfter: 1000,
  });
  clock.advance(100);
  expect(await users.check("ip")).toMatchObject({
    allowed: true,
    remaining: 99,
    resetAfter: 30_000,
  });
  clock.advance(3000);
  expect(await purchases.check("ip")).toMatchObject({
    allowed: true,
    remaining: 0,
    resetAfter: 1000,
  });
});

test("B37: each of several policies has a counter of its own", async () => {
  const redis = client((await server()).port);
  const limiter = createLimiter({
    policies: [
      { ...fixed, name: "minute", limit: 20, window: "1m" },
      { ...fixed, name: "ten", limit: 200, window: "10m" },
      { ...fixed, name: "hour", limit: 1200, window: "1h" },
      { ...fixed, name: "day", limit: 5000, window: "1d" },
    ],
    store: redisStore(redis, { deadline, clock: manualClock() }),
  });
  for (let i = 0; i < 20; i++) expect((await limiter.check("ip")).allowed).toBe(true);
  expect(await limiter.check("ip")).toMatchObject({
    allowed: false,
    policy: "minute",
    retryAfter: 60_000,
  });
});

test("B42: limiters of one name share their counter", async () => {
  const redis = client((await server()).port);
  const options = { ...fixed, name: "otp", limit: 3 } satisfies LimiterOptions;
  const [send, resend] = [1, 2].map(() =>
    createLimiter({ ...options, store: redisStore(redis, { deadline }) }),
  );
  const left = [];
  for (const limiter of [send!, resend!, send!]) left.push((await limiter.check("ip")).remaining);
  expect(left).toEqual([2, 1, 0]);
  expect((await resend!.check("ip")).allowed).toBe(false);
});

test("B127: the client's own key prefix is neither lost nor doubled", async () => {
  const { port } = await server();
  const redis = client(port, { keyPrefix: "app:" });
  const limiter = createLimiter({ ...fixed, limit: 5, store: redisStore(redis, { deadline }) });
  await limiter.check("key");
  expect((await limiter.peek("key")).remaining).toBe(4);
  const bare = client(port);
  expect(await bare.keys("*")).toEqual(["app:rl:1f{key}"]);
  await limiter.reset("key");
  expect(await bare.keys("*")).toEqual([]);
});

test("keys are laid out as the documentation says", async () => {
  const redis = client((await server()).port);
  const store = redisStore(redis, { deadline, prefix: "app/" });
  for (const [settings, key] of [
    [{ name: "default" }, "user:42"],
    [{ name: "login" }, "user:42"],
    [{ name: "two words" }, "a b"],
    [{ name: "seg", algorithm: "sliding-window", segments: 4 }, "ip:::1/64"],
  ] as const) {
    await store.take([{ policy: policyOf(settings), key, cost: 1 }], true);
  }
  expect((await redis.keys("*")).sort()).toEqual([
    "app/1f:login{user:42}",
    "app/1f:two%0020words{a%0020b}",
    "app/1f{user:42}",
    "app/1w4:seg{ip:::1/64}",
  ]);
});

describe("B142, B134: what is no client is refused at the door", () => {
  test.each([
    [undefined, /received undefined/],
    [{}, /received an object/],
    ["redis://user:secret@localhost", /redisStore\(new Redis\(url\)\)\), received a string$/],
    [{ client: {} }, /\(the client itself, and options behind it\), received an object/],
    [Redis, /received a function Redis/],
    [new Map(), /received an instance of Map/],
    [Promise.resolve(), /received a promise: await it first/],
    [createClient, /\(make one: new Redis\(…\), or createClient\(…\)\), received a function/],
    [{ evalsha() {} }, /received an object/],
    [{ evalSha() {}, eval() {} }, /received an object/],
    [new Redis({ lazyConnect: true }).pipeline(), /received an instance of Pipeline/],
    [{ sendCommand() {}, get() {}, set() {} }, /received an object/],
  ])("%#", (value, message) => {
    expect(() => redisStore(value as never)).toThrow(message);
    expect(() => redisStore(value as never)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_CONFIG" }),
    );
  });

  test.each([
    [{ prefix: "a b" }, /prefix: expected .* received "a b"/],
    [{ prefix: 5 }, /prefix/],
    [{ deadline: 0 }, /deadline: expected whole milliseconds from 1 to 60000, received 0/],
    [{ deadline: Number.POSITIVE_INFINITY }, /received Infinity/],
    [{ clock: 5 }, /clock: expected a function/],
    [{ ttl: 5 }, /ttl: expected a known option: prefix, deadline, clock, received 5 under/],
    [{ deadline: "100" }, /deadline: expected .* \(convert it: Number\(…\)\), received "100"/],
    [{ timeout: 5 }, /a known option: prefix, deadline, clock \(did you mean deadline\?\)/],
    [{ keyPrefix: "x" }, /keyPrefix: expected .* \(did you mean prefix\?\), received "x"/],
    [{ keyprefix: "x" }, /did you mean prefix\?/],
    [{ Prefix: "x" }, /did you mean prefix\?/],
    [{ nameSpace: "x" }, /did you mean prefix\?/],
    [{ namespace: "x" }, /did you mean prefix\?/],
    [null, /options: expected an object such as { prefix: "rl:" }, received null/],
  ])("options %#", (options, message) => {
    const redis = createClient();
    expect(() => redisStore(redis, options as never)).toThrow(message);
  });

  test.each([
    ["6", createClientPool({})],
    ["5", createClientPool5({})],
  ])("a pool of node-redis %s is no client", (_, pool) => {
    expect(() => redisStore(pool)).toThrow(/client: expected a client .* received a pool of them/);
  });

  test("what is undefined is as if left out, whatever its name", () => {
    const options = { prefix: undefined, ttl: undefined, timeout: undefined };
    expect(() => redisStore(createClient(), options)).not.toThrow();
  });
});
