import { describe, expect, it, vi } from "vitest";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { fallbackStore } from "../wrappers/fallback-store.ts";

const fixed = { algorithm: "fixed-window", window: "1m" } as const;

function limited(limit = 10) {
  const clock = manualClock();
  const store = memoryStore({ clock });
  return { clock, store, limiter: createLimiter({ ...fixed, limit, store }) };
}

describe("settle", () => {
  it("plays the worked numbers of Shopify: 101 requested, 46 actual, 954 left", async () => {
    const store = memoryStore({ clock: manualClock() });
    const bucket = { algorithm: "token-bucket", limit: 1000, window: "20s" } as const;
    const limiter = createLimiter({ ...bucket, store });
    const decision = await limiter.check("shop", { cost: 101 });
    expect(decision.remaining).toBe(899);
    await decision.settle(46);
    expect((await limiter.peek("shop")).remaining).toBe(954);
  });

  it.each([
    { reserved: 4, actual: 4, left: 6 },
    { reserved: 4, actual: 1, left: 9 },
    { reserved: 4, actual: 0, left: 10 },
    { reserved: 4, actual: 9, left: 1 },
    { reserved: 4, actual: 10, left: 0 },
    { reserved: 4, actual: 11, left: 0 },
    { reserved: 4, actual: Number.MAX_SAFE_INTEGER, left: 0 },
    { reserved: 0, actual: 3, left: 7 },
  ])("puts $actual in place of $reserved", async ({ reserved, actual, left }) => {
    for (const settle of ["decision", "limiter"] as const) {
      const { limiter } = limited();
      const decision = await limiter.check("key", { cost: reserved });
      if (settle === "decision") await decision.settle(actual);
      else await limiter.settle(decision, actual);
      expect((await limiter.peek("key")).remaining).toBe(left);
    }
  });

  it("settles once, whoever asks and however often", async () => {
    const { limiter } = limited();
    const decision = await limiter.check("key", { cost: 4 });
    await Promise.all([decision.settle(1), decision.settle(2), limiter.settle(decision, 9)]);
    await limiter.give(decision);
    await decision.settle(0);
    expect((await limiter.peek("key")).remaining).toBe(9);
    const given = await limiter.check("key", { cost: 4 });
    await limiter.give(given);
    await given.settle(9);
    expect((await limiter.peek("key")).remaining).toBe(9);
  });

  it("does nothing where nothing was taken", async () => {
    const { limiter, store } = limited(2);
    const other = createLimiter({ ...fixed, name: "other", limit: 2, store });
    await limiter.check("key");
    const refused = await limiter.check("key", { cost: 2 });
    const looked = await limiter.peek("key");
    const copied = { ...(await limiter.check("key")) };
    for (const decision of [refused, looked]) await decision.settle(0);
    for (const decision of [refused, looked, copied]) {
      await limiter.settle(decision as typeof looked, 0);
    }
    await limiter.settle(await other.check("key"), 0);
    expect((await limiter.peek("key")).remaining).toBe(0);
    expect((await other.peek("key")).remaining).toBe(1);
    const skipping = createLimiter({ ...fixed, limit: 2, skip: () => true });
    await expect((await skipping.check("key")).settle(5)).resolves.toBeUndefined();
  });

  it("settles all policies alike, or each by its name", async () => {
    const policies = [
      { ...fixed, name: "requests", limit: 10 },
      { ...fixed, name: "tokens", limit: 100, cost: 20 },
    ];
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    const left = async () => (await limiter.peek("key")).statuses.map(({ remaining }) => remaining);
    const first = await limiter.check("key");
    await first.settle({ tokens: 33 });
    expect(await left()).toEqual([9, 67]);
    await first.settle({ requests: 0, tokens: 0 });
    expect(await left()).toEqual([10, 67]);
    const second = await limiter.check("key");
    await limiter.settle(second, 5);
    expect(await left()).toEqual([5, 62]);
  });

  it("takes nothing back from a shadow that had refused", async () => {
    const policies = [
      { ...fixed, name: "real", limit: 10 },
      { ...fixed, name: "shadow", limit: 1, shadow: true },
    ];
    const limiter = createLimiter({ policies, store: memoryStore({ clock: manualClock() }) });
    await limiter.check("key");
    const decision = await limiter.check("key");
    await decision.settle(0);
    const left = (await limiter.peek("key")).statuses.map(({ remaining }) => remaining);
    expect(left).toEqual([9, 0]);
  });

  it("gives back only into the window that was charged, and charges the one that is", async () => {
    const { limiter, clock } = limited();
    const [much, little] = [
      await limiter.check("key", { cost: 3 }),
      await limiter.check("key", { cost: 3 }),
    ];
    clock.advance(60_000);
    await limiter.check("key");
    await much.settle(0);
    expect((await limiter.peek("key")).remaining).toBe(9);
    await little.settle(5);
    expect((await limiter.peek("key")).remaining).toBe(7);
  });

  it.each([
    [-1, /^actual: expected a whole number from 0 to 2\^53 - 1, received -1/],
    [1.5, /^actual: expected a whole number/],
    [Number.NaN, /^actual: expected a whole number/],
    ["5", /^actual: expected a whole number from 0 to 2\^53 - 1, or one for each policy/],
    [undefined, /^actual: expected .* received undefined/],
    [[5], /^actual: expected .* received an array of 1/],
    [{ default: -5 }, /^actual\.default: expected a whole number/],
    [{ token: 5 }, /^actual\.token: expected the name of a policy: default, received 5 under/],
  ])("refuses %o, and settles nothing by it", async (actual, message) => {
    const { limiter } = limited();
    const decision = await limiter.check("key", { cost: 4 });
    await expect(decision.settle(actual as number)).rejects.toThrow(message);
    await expect(limiter.settle(decision, actual as number)).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
    await decision.settle(1);
    expect((await limiter.peek("key")).remaining).toBe(9);
  });

  it("refuses a decision that was not waited for, in place of doing nothing", async () => {
    const limiter = createLimiter({ limit: 5, window: "1m" });
    const forgotten = limiter.check("key") as never;
    const told =
      "decision: expected a decision of this limiter, received a promise: await it first";
    await expect(limiter.give(forgotten)).rejects.toThrow(told);
    await expect(limiter.settle(forgotten, 1)).rejects.toThrow(told);
    expect((await limiter.peek("key")).remaining).toBe(4);
  });

  it("refuses what is no decision, and a cost that is none where nothing was taken", async () => {
    const { limiter } = limited(1);
    await expect(limiter.settle(null as never, 1)).rejects.toThrow(/^decision: expected/);
    const refused = await limiter.check("key", { cost: 2 });
    await expect(refused.settle(-1)).rejects.toThrow(/^actual: expected/);
    await expect(limiter.settle(refused, -1)).rejects.toThrow(/^actual: expected/);
  });

  it("tells onError of a store that fails, and rejects nothing", async () => {
    for (const fail of [() => Promise.reject(new Error("ECONNREFUSED")), throws]) {
      const onError = vi.fn();
      const store: Store = { ...memoryStore({ clock: manualClock() }), give: fail };
      const limiter = createLimiter({ ...fixed, limit: 10, store, onError });
      const decision = await limiter.check("key", { cost: 4 });
      await expect(decision.settle(1)).resolves.toBeUndefined();
      expect(onError.mock.calls).toMatchObject([
        [{ code: "ERR_STORE_UNAVAILABLE", cause: { message: "ECONNREFUSED" } }, undefined],
      ]);
    }
    function throws(): never {
      throw new Error("ECONNREFUSED");
    }
  });

  it("gives back to a fallback what that took, and no more", async () => {
    const clock = manualClock();
    const down: Store = {
      take: () => Promise.reject(new Error("down")),
      give: () => Promise.reject(new Error("down")),
      reset: () => Promise.reject(new Error("down")),
    };
    const store = fallbackStore(down, { fallback: memoryStore({ clock }), share: 0.5, clock });
    const limiter = createLimiter({ ...fixed, limit: 20, store });
    const decision = await limiter.check("key", { cost: 4 });
    await decision.settle(1);
    expect(await limiter.peek("key")).toMatchObject({ limit: 10, remaining: 9, degraded: true });
  });
});
