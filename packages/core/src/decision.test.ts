import { describe, expect, it } from "vitest";
import type { Decision } from "./decision.ts";
import { outageDecision, skippedDecision } from "./decisions/decided-without-store.ts";
import { receiptOf } from "./decisions/decision-record.ts";
import { createLimiter } from "./limiter.ts";
import { memoryStore } from "./memory-store.ts";
import type { PolicyOptions } from "./options/policy-options.ts";
import { manualClock } from "./testing/manual-clock.ts";

type Named = PolicyOptions & { name: string };

const fixed = { algorithm: "fixed-window", window: "1m" } as const;

function limiterOf(...policies: Named[]) {
  const clock = manualClock();
  return { clock, limiter: createLimiter({ policies, store: memoryStore({ clock }) }) };
}

describe("a decision", () => {
  it("is a frozen snapshot with every policy in the order of the options", async () => {
    const { limiter, clock } = limiterOf(
      { ...fixed, name: "many", limit: 9 },
      { ...fixed, name: "few", limit: 2 },
    );
    const decision = await limiter.check("key");
    expect({ ...decision }).toEqual({
      allowed: true,
      policy: "few",
      key: "key",
      limit: 2,
      remaining: 1,
      retryAfter: 0,
      resetAfter: 60_000,
      delay: 0,
      reason: "ok",
      statuses: [expect.objectContaining({ policy: "many" }), expect.anything()],
      degraded: false,
      shadowed: false,
      now: clock(),
    });
    expect(decision.statuses[0]).toEqual({
      policy: "many",
      key: "key",
      limit: 9,
      window: 60_000,
      cost: 1,
      allowed: true,
      shadow: false,
      blocked: false,
      remaining: 8,
      retryAfter: 0,
      resetAfter: 60_000,
    });
    for (const part of [decision, decision.statuses, ...decision.statuses]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    const text = JSON.stringify(decision);
    await limiter.check("key");
    expect(JSON.stringify(decision)).toBe(text);
    expect(text).not.toContain("charges");
  });

  it("is bound by the least remaining where allowed, the first of equals", async () => {
    const { limiter } = limiterOf(
      { ...fixed, name: "a", limit: 5 },
      { ...fixed, name: "b", limit: 3 },
      { ...fixed, name: "c", limit: 3 },
    );
    expect(await limiter.check("key")).toMatchObject({ policy: "b", remaining: 2 });
  });

  it("is bound by the longest wait where refused", async () => {
    const { limiter } = limiterOf(
      { ...fixed, name: "open", limit: 9 },
      { ...fixed, name: "short", limit: 1, window: "10s" },
      { ...fixed, name: "long", limit: 1 },
    );
    await limiter.check("key");
    expect(await limiter.check("key")).toMatchObject({
      allowed: false,
      reason: "limited",
      policy: "long",
      limit: 1,
      remaining: 0,
      retryAfter: 60_000,
      statuses: [
        { policy: "open", allowed: true, remaining: 8, retryAfter: 0 },
        { policy: "short", allowed: false, retryAfter: 10_000 },
        { policy: "long", allowed: false, retryAfter: 60_000 },
      ],
    });
  });

  it("says never where one policy never admits such a cost", async () => {
    const { limiter } = limiterOf(
      { ...fixed, name: "a", limit: 2 },
      { ...fixed, name: "b", limit: 5 },
    );
    await limiter.check("key", { cost: 2 });
    expect(await limiter.check("key", { cost: 4 })).toMatchObject({
      reason: "cost-exceeds-limit",
      policy: "a",
      retryAfter: Infinity,
    });
  });

  it("tells of a shadow policy without letting it speak", async () => {
    const { limiter } = limiterOf(
      { ...fixed, name: "shadow", limit: 1, shadow: true },
      { ...fixed, name: "real", limit: 2 },
    );
    expect(await limiter.check("key")).toMatchObject({ policy: "real", shadowed: false });
    expect(await limiter.check("key")).toMatchObject({
      allowed: true,
      policy: "real",
      remaining: 0,
      shadowed: true,
      statuses: [{ allowed: false, shadow: true, retryAfter: 60_000 }, { allowed: true }],
    });
    expect(await limiter.check("key")).toMatchObject({ allowed: false, policy: "real" });
  });

  it("is never a refusal where all policies are shadows", async () => {
    const { limiter } = limiterOf({ ...fixed, name: "shadow", limit: 0, shadow: true });
    const decision = await limiter.check("key");
    expect(decision).toMatchObject({
      allowed: true,
      reason: "ok",
      shadowed: true,
      policy: "shadow",
    });
  });

  it("tells the longest delay, but none of a shadow nor for a request that takes no place", async () => {
    const leaky = { algorithm: "leaky-bucket", limit: 10, window: "1s" } as const;
    const { limiter } = limiterOf(
      { ...leaky, name: "fast" },
      { ...leaky, name: "slow", window: "2s" },
      { ...leaky, name: "shadow", window: "1m", shadow: true },
    );
    expect((await limiter.check("key")).delay).toBe(0);
    expect((await limiter.check("key")).delay).toBe(200);
    expect((await limiter.peek("key")).delay).toBe(400);
    expect((await limiter.check("key", { cost: 3 })).delay).toBe(400);
    expect((await limiter.check("key", { cost: 0 })).delay).toBe(0);
    expect((await limiter.check("key")).delay).toBe(1000);
    const refused = await limiter.check("key", { cost: 10 });
    expect(refused).toMatchObject({ allowed: false, delay: 0 });
  });

  it("waits for a policy that was charged for the refusal itself", async () => {
    const { limiter, clock } = limiterOf(
      { ...fixed, name: "second", limit: 1, window: "1s" },
      { ...fixed, name: "counting", limit: 2, countRefused: true },
    );
    await limiter.check("key");
    const refused = await limiter.check("key");
    expect(refused).toMatchObject({ policy: "second", retryAfter: 60_000 });
    clock.advance(1000);
    expect((await limiter.peek("key")).allowed).toBe(false);
    clock.advance(59_000);
    expect((await limiter.check("key")).allowed).toBe(true);
  });

  it("passes on that a store answered from less than the whole", async () => {
    const store = memoryStore();
    const degraded = {
      ...store,
      take: (...args: Parameters<typeof store.take>) => ({
        ...store.take(...args),
        degraded: true,
      }),
    };
    const limiter = createLimiter({ ...fixed, limit: 1, store: degraded });
    expect(await limiter.check("key")).toMatchObject({ allowed: true, degraded: true });
  });
});

describe("decisions without a store", () => {
  it("decides where no store was asked", () => {
    expect({ ...skippedDecision("p", 9) }).toMatchObject({
      allowed: true,
      reason: "skipped",
      policy: "p",
      limit: 9,
      remaining: 9,
      statuses: [],
      degraded: false,
      now: 0,
    });
    const closed = outageDecision("closed", { policy: "p", key: "key", limit: 9 });
    expect(closed).toMatchObject({ allowed: false, degraded: true, retryAfter: 0, key: "key" });
    expect(closed.remaining).toBe(0);
    expect(Object.isFrozen(closed) && Object.isFrozen(closed.statuses)).toBe(true);
  });
});

describe("receiptOf", () => {
  it("finds what was taken, in decisions that took something and nowhere else", async () => {
    const { limiter } = limiterOf({ ...fixed, name: "a", limit: 1 });
    const taken = await limiter.check("key");
    expect(receiptOf(taken)).toMatchObject({ charges: [{ key: "key", cost: 1 }], fits: [true] });
    for (const decision of [
      await limiter.check("key"),
      await limiter.peek("key"),
      skippedDecision("p", 9),
      { ...taken },
      JSON.parse(JSON.stringify(taken)),
      {},
    ]) {
      expect(receiptOf(decision as Decision)).toBeUndefined();
    }
  });
});
