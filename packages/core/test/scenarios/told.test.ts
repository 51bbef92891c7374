import { expect, it } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { rateHeaders } from "../http-scenarios/rate-headers.ts";
import { limited, times, told } from "./limited.ts";

it("B49 tells the rest of the window, and nothing on what is allowed", async () => {
  const { at, limiter } = limited({ limit: 1 });
  expect(await at(0)).toEqual([200, 0]);
  expect(await at(40_000)).toEqual([429, 0, 20]);
  expect(await limiter.peek("key")).toMatchObject({ retryAfter: 20_000 });
  expect(await limiter.peek("other")).toMatchObject({ retryAfter: 0 });
});

it("B50 lets pass who waits as told", async () => {
  const window = limited({ limit: 1, window: 1500 });
  expect(await window.at(0)).toEqual([200, 0]);
  expect(await window.at(1)).toEqual([429, 0, 2]);
  expect(await window.at(1100)).toEqual([429, 0, 1]);
  expect(await window.at(2001)).toEqual([200, 0]);
  const bucket = limited({ algorithm: "token-bucket", limit: 1, window: "1s" });
  expect(await bucket.at(0)).toEqual([200, 0]);
  expect(await bucket.at(200)).toEqual([429, 0, 1]);
  expect(await bucket.at(999)).toEqual([429, 0, 1]);
  expect(await bucket.at(1000)).toEqual([200, 0]);
});

it("B52 counts down to 0 and no further", async () => {
  const { ask } = limited({ limit: 2 });
  expect(await times(5, () => ask())).toEqual([
    [200, 1],
    [200, 0],
    [429, 0, 60],
    [429, 0, 60],
    [429, 0, 60],
  ]);
});

it("B53 tells one moment of reset through all of a window", async () => {
  const { clock, limiter } = limited({ limit: 5 });
  const absolute: unknown[] = [];
  const delta: unknown[] = [];
  for (const _ of [0, 10, 20]) {
    const { statuses, now } = await limiter.check("key");
    absolute.push(resetOf(rateHeaders(["legacy"], { reset: "epoch" })(statuses, 0, now)));
    delta.push(resetOf(rateHeaders(["legacy"], { reset: "delta" })(statuses, 0, now)));
    clock.advance(10_000);
  }
  expect(delta).toEqual(["60", "50", "40"]);
  expect(absolute).toEqual(Array(3).fill("1700006460"));

  function resetOf(headers: readonly (readonly [string, string])[]): string | undefined {
    return headers.find(([name]) => name === "X-RateLimit-Reset")?.[1];
  }
});

it("B54 tells epoch seconds and seconds from now each in their place", async () => {
  const { clock, limiter } = limited({ limit: 1 });
  await limiter.check("key");
  clock.advance(10_000);
  const refused = await limiter.check("key");
  const write = rateHeaders(["legacy", "draft-8"], { reset: "epoch" });
  const headers = Object.fromEntries(write(refused.statuses, 0, refused.now));
  expect(headers["X-RateLimit-Reset"]).toBe("1700006460");
  expect(headers.RateLimit).toBe('"default";r=0;t=50');
  expect(told(refused)).toEqual([429, 0, 50]);
});

it("B55 describes the tightest policy, whatever the order", async () => {
  const outer = { algorithm: "fixed-window", name: "outer", limit: 100, window: "1h" } as const;
  const inner = { algorithm: "fixed-window", name: "inner", limit: 2, window: "1m" } as const;
  for (const policies of [
    [outer, inner],
    [inner, outer],
  ]) {
    const store = memoryStore({ clock: manualClock() });
    const limiter = createLimiter({ policies, store });
    const decisions = await times(3, () => limiter.check("key"));
    expect(decisions.map(({ policy, limit, remaining }) => [policy, limit, remaining])).toEqual([
      ["inner", 2, 1],
      ["inner", 2, 0],
      ["inner", 2, 0],
    ]);
    expect(decisions[2]).toMatchObject({ allowed: false, resetAfter: 60_000 });
    const order = decisions[2]!.statuses.map(({ policy }) => policy);
    expect(order).toEqual(policies.map(({ name }) => name));
  }
});

it("B56 refuses names that no header can carry, at construction", () => {
  const policy = { limit: 1, window: "1m" } as const;
  for (const name of ["plain", 'a "quote"', "back\\slash", "a, b", "a; b"]) {
    expect(() => createLimiter({ ...policy, name })).not.toThrow();
  }
  for (const name of ["a\r\nb", "é", "", "\t", "x".repeat(129)]) {
    expect(() => createLimiter({ ...policy, name })).toThrow(
      /^name: expected a string of 1 to 128/,
    );
  }
  const twice = [
    { ...policy, name: "a" },
    { ...policy, name: "a" },
  ];
  expect(() => createLimiter({ policies: twice })).toThrow(/^policies\[1\]\.name: expected a name/);
});

it("B64 tells of each refusal, and of the first of a window, also where limit and cost vary", async () => {
  const clock = manualClock();
  const refused: number[] = [];
  const first: number[] = [];
  const limiter = createLimiter({
    algorithm: "fixed-window",
    limit: async () => 2,
    window: "60s",
    store: memoryStore({ clock }),
    onRefused: ({ now }) => refused.push(now),
    onFirstRefused: ({ now }) => first.push(now),
  });
  await times(5, () => limiter.check("key"));
  expect(refused).toHaveLength(3);
  clock.advance(60_000);
  await times(4, () => limiter.check("key"));
  expect(refused).toHaveLength(3 + 2);
  expect(first).toHaveLength(2);
  clock.advance(60_000);
  await times(3, () => limiter.check("key", { cost: 2 }));
  expect(refused).toHaveLength(3 + 2 + 2);
  expect(first).toHaveLength(3);
  await limiter.check("another", { cost: 3 });
  expect(first).toHaveLength(4);
});

it("B65 rejects with errors that tell a refusal from a store that is down", async () => {
  const { limiter } = limited({ limit: 1 });
  await limiter.checkOrThrow("key");
  const refusal = await limiter.checkOrThrow("key").catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect(refusal).toMatchObject({
    code: "ERR_RATE_LIMITED",
    limit: 1,
    remaining: 0,
    retryAfter: 60_000,
  });
  const cause = new Error("ECONNREFUSED");
  const store = { ...memoryStore(), take: () => Promise.reject(cause) };
  const broken = createLimiter({
    limit: 1,
    window: "60s",
    store,
    onStoreError: "closed",
    onError: () => undefined,
  });
  const failure = await broken.checkOrThrow("key").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ code: "ERR_STORE_UNAVAILABLE", cause });
});
