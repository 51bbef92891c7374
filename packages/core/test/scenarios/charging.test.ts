import { expect, it, vi } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { PolicyOptions } from "../../src/options/policy-options.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { limited, times, told } from "./limited.ts";

const algorithms: PolicyOptions[] = [
  { algorithm: "fixed-window", limit: 5, window: "60s" },
  { algorithm: "fixed-window", align: "first-request", limit: 5, window: "60s" },
  { algorithm: "sliding-window", limit: 5, window: "60s" },
  { algorithm: "sliding-window", segments: 6, limit: 5, window: "60s" },
  { algorithm: "sliding-log", limit: 5, window: "60s" },
  { algorithm: "token-bucket", limit: 5, window: "60s" },
  { algorithm: "leaky-bucket", limit: 5, window: "60s" },
];

it("B75 leaves what another policy refused untouched", async () => {
  const store = memoryStore({ clock: manualClock() });
  const policies = [
    { algorithm: "token-bucket", name: "a", limit: 5, window: "36500d" },
    { algorithm: "token-bucket", name: "b", limit: 1, window: "36500d" },
  ] as const;
  const limiter = createLimiter({ policies, store });
  await limiter.check("key", { policy: "a", cost: 2 });
  await limiter.check("key", { policy: "b" });
  const refused = await times(10, () => limiter.check("key", { cost: 1 }));
  expect(refused.every(({ allowed }) => !allowed)).toBe(true);
  expect(refused.map(({ statuses }) => statuses[0]!.remaining)).toEqual(Array(10).fill(3));
});

it("B75 takes nothing where the store fails, and fails once", async () => {
  const memory = memoryStore({ clock: manualClock() });
  const onError = vi.fn();
  let down = false;
  const store = {
    ...memory,
    take: (...asked: Parameters<typeof memory.take>) => {
      if (down) throw new Error("down");
      return memory.take(...asked);
    },
  };
  const limiter = createLimiter({ limit: 5, window: "60s", store, onError });
  await limiter.check("key");
  down = true;
  expect(await limiter.check("key")).toMatchObject({ allowed: true, degraded: true });
  expect(onError).toHaveBeenCalledTimes(1);
  down = false;
  expect((await limiter.peek("key")).remaining).toBe(4);
});

it.each(algorithms)("B76 admits no more than fit of a thousand at once: %j", async (options) => {
  const { limiter } = limited(options);
  const decisions = await Promise.all(Array.from({ length: 1000 }, () => limiter.check("key")));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
});

it("B77 tells each of many at once what was left for it", async () => {
  const { limiter } = limited({ limit: 3 });
  const decisions = await Promise.all(Array.from({ length: 10 }, () => limiter.check("key")));
  await times(5, () => limiter.check("key"));
  expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(decisions.map(({ allowed }) => allowed).filter(Boolean)).toHaveLength(3);
  expect(decisions.every((decision) => Object.isFrozen(decision))).toBe(true);
});

it.each(algorithms)("B78 says what can never fit, and waits for what can: %j", async (options) => {
  const { limiter, ask, clock } = limited(options);
  const never = await limiter.check("a", { cost: 6 });
  expect(never).toMatchObject({
    allowed: false,
    reason: "cost-exceeds-limit",
    retryAfter: Infinity,
  });
  expect(told(never)).toEqual([429, 5]);
  expect(await ask("a", 1)).toEqual([200, 4]);
  expect(await ask("b", 5)).toEqual([200, 0]);
  expect(await ask("c", 1)).toEqual([200, 4]);
  const wait = (await limiter.check("c", { cost: 5 })).retryAfter;
  expect(wait).toBeGreaterThan(0);
  // A sliding window is completely free once the window after the charge's own is over.
  expect(wait).toBeLessThanOrEqual(options.algorithm === "sliding-window" ? 120_000 : 60_000);
  clock.advance(wait);
  expect(await ask("c", 5)).toEqual([200, 0]);
});

it("B79 refuses costs that are no whole number, and reads with 0", async () => {
  const { limiter, ask, store } = limited({ limit: 5 });
  await ask("key", 3);
  for (const cost of [-1, 1.5, Number.NaN, Infinity, "2" as unknown as number]) {
    await expect(limiter.check("key", { cost })).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
      message: expect.stringMatching(/^cost: expected a whole number/),
    });
  }
  const before = await limiter.peek("key");
  expect(await ask("key", 0)).toEqual([200, 2]);
  expect(await ask("unseen", 0)).toEqual([200, 5]);
  expect(await limiter.peek("key")).toEqual(before);
  expect(store.size).toBe(1);
});

it("B80 looks without charging, in the same words", async () => {
  const { limiter, store } = limited({ limit: 5 });
  expect((await limiter.peek("key")).remaining).toBe(5);
  expect(store.size).toBe(0);
  await limiter.check("key");
  const last = await limiter.check("key");
  expect(await limiter.peek("key")).toEqual(last);
  expect(await limiter.peek("key")).toEqual(last);
  expect((await limiter.check("key")).remaining).toBe(2);
});

it("B119 never shows a store that is down as a refusal", async () => {
  const cause = new Error("ECONNREFUSED");
  for (const [onStoreError, status] of [
    ["open", 200],
    ["closed", 503],
  ] as const) {
    const onError = vi.fn();
    const store = { ...memoryStore(), take: () => Promise.reject(cause) };
    const limiter = createLimiter({ limit: 5, window: "60s", store, onStoreError, onError });
    const decision = await limiter.check("key");
    expect(told(decision)[0]).toBe(status);
    expect(decision).toMatchObject({ reason: "store-unavailable", degraded: true });
    expect(onError.mock.calls).toMatchObject([[{ cause }, undefined]]);
  }
});
