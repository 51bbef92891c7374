import {
  type AlgorithmName,
  algorithms,
  type Charge,
  createLimiter,
  type PolicyOptions,
} from "@spillway/core";
import { redisStore } from "@spillway/redis";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../src/testing/redis-server.ts";
import { policyOf } from "../support/policy.ts";
import { client, server } from "../support/redis.ts";

const deadline = 10_000;
const names = Object.keys(algorithms) as AlgorithmName[];
const ban = { for: "1h", after: 50 } as const;

const full = (redis: Redis): Promise<unknown> => redis.config("SET", "maxmemory", "1");

/** Ways to make a server refuse writes. */
const refusals: Readonly<Record<string, (redis: Redis) => Promise<unknown>>> = {
  full,
  "a replica": async (redis) => redis.replicaof("127.0.0.1", await freePort()),
  "without replicas": (redis) => redis.config("SET", "min-replicas-to-write", "1"),
};

/** Policies that remember refusals, for which the server would be written to. */
const rows: readonly (readonly [string, (algorithm: AlgorithmName) => PolicyOptions[]])[] = [
  ["nothing", (algorithm) => [{ algorithm, limit: 3, window: "1h" }]],
  ["a ban", (algorithm) => [{ algorithm, limit: 3, window: "1h", ban }]],
  [
    "a ban that trying extends",
    (algorithm) => [{ algorithm, limit: 3, window: "1h", ban: { for: "1h", extend: true } }],
  ],
  [
    "a count of refusals",
    (algorithm) => [{ algorithm, limit: 3, window: "1h", countRefused: true }],
  ],
  [
    "another policy's count of refusals",
    (algorithm) => [
      { name: "a", algorithm, limit: 3, window: "1h" },
      { name: "b", algorithm, limit: 100, window: "1d", countRefused: true },
    ],
  ],
  [
    "the ban of one that is tried out",
    (algorithm) => [
      { name: "a", algorithm, limit: 3, window: "1h" },
      { name: "b", algorithm, limit: 1, window: "1h", shadow: true, ban },
    ],
  ],
];

let redis: Redis;

beforeEach(async () => {
  redis = client((await server()).port);
  await redis.config("SET", "maxmemory-policy", "noeviction");
});

describe.each(Object.entries(refusals))("on a server that is %s", (_, refuse) => {
  test.each(rows)("who is refused stays refused, also where %s remembers it", async (_, make) => {
    const store = redisStore(redis, { deadline });
    const limiters = names.map((algorithm) =>
      createLimiter({
        policies: make(algorithm).map((p) => ({ ...p, name: `${algorithm}${p.name ?? ""}` })),
        store,
        onError() {},
      }),
    );
    const attempt = () => Promise.all(limiters.map((limiter) => limiter.check("attacker")));
    for (let i = 0; i < 5; i++) await attempt();
    const before = await Promise.all(limiters.map((limiter) => limiter.peek("attacker")));
    const stored = async () =>
      Promise.all((await redis.keys("*")).sort().map((k) => redis.dump(k)));
    const states = await stored();
    await refuse(redis);
    // Together by the script for any call, and each by that for its kind.
    const told = [...(await attempt())];
    for (const limiter of limiters) {
      told.push(await limiter.check("attacker"));
      told.push(...(await Promise.all([1, 2, 3, 4, 5].map(() => limiter.check("attacker")))));
    }
    for (const { allowed, reason } of told) {
      expect([allowed, reason]).toEqual([false, before[0]!.reason]);
    }
    // As the stored state says.
    const last = await attempt();
    for (const [i, { retryAfter, remaining }] of last.entries()) {
      expect(remaining).toBe(before[i]!.remaining);
      expect(retryAfter).toBeGreaterThan(before[i]!.retryAfter - 60_000);
      expect(retryAfter).toBeLessThanOrEqual(before[i]!.retryAfter);
    }
    const others = await Promise.all(limiters.map((limiter) => limiter.check("somebody else")));
    for (const { reason } of others) expect(reason).toBe("store-unavailable");
    expect(await stored()).toEqual(states);
  });

  test.each(names)(
    "who is refused by a %s that lost its time to live stays so",
    async (algorithm) => {
      const store = redisStore(redis, { deadline });
      const limiter = createLimiter({ algorithm, limit: 1, window: "1h", store, onError() {} });
      await limiter.check("k");
      await redis.persist((await redis.keys("*"))[0]!);
      await refuse(redis);
      const alone = await limiter.check("k");
      const together = await Promise.all([limiter.check("k"), limiter.peek("k")]);
      expect([alone, ...together].map(({ reason }) => reason)).toEqual(Array(3).fill("limited"));
    },
  );
});

describe("on a server that is full, of one turn", () => {
  const [a, b] = [policyOf({ name: "a", limit: 1 }), policyOf({ name: "b" })];
  const ask = (...policies: (typeof a)[]): Charge[] =>
    policies.map((policy) => ({ policy, key: "k", cost: 1 }));

  test.each<[string, (store: ReturnType<typeof redisStore>, receipt: never) => Promise<unknown>]>([
    ["gives back", (store, receipt) => store.give(receipt)],
    ["resets", (store) => store.reset(a, "k")],
  ])("a request is refused that came before another %s", async (_, act) => {
    const store = redisStore(redis, { deadline });
    const charges = ask(a);
    const receipt = { charges, ...(await store.take(charges, true)) };
    await full(redis);
    const [refused, written, done, later] = await Promise.allSettled([
      store.take(ask(a, b), true),
      store.take(ask(b), true),
      act(store, receipt as never),
      store.take(ask(a, b), false),
    ]);
    expect(refused).toMatchObject({ value: { fits: [false, true] } });
    expect(written.status).toBe("rejected");
    expect(done.status).toBe("fulfilled");
    expect(later).toMatchObject({ value: { fits: [true, true] } });
    expect(await redis.keys("*")).toEqual([]);
  });

  test("a request meets what an earlier one gave back, and fails if it would be written", async () => {
    const store = redisStore(redis, { deadline });
    const charges = ask(a);
    const receipt = { charges, ...(await store.take(charges, true)) };
    await full(redis);
    const [given, passing] = await Promise.allSettled([
      store.give(receipt),
      store.take(ask(a, b), true),
    ]);
    expect([given.status, passing.status]).toEqual(["fulfilled", "rejected"]);
    expect(await redis.keys("*")).toEqual([]);
  });
});
