import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, vi } from "vitest";
import type { Decision } from "../decision.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { LimiterOptions } from "../options/limiter-options.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { fallbackStore } from "../wrappers/fallback-store.ts";

const fixed = { algorithm: "fixed-window", window: "1m" } as const;

function watched(options: object) {
  const clock = manualClock();
  const onNearLimit = vi.fn<(decision: Decision) => void>();
  const store = memoryStore({ clock });
  const limiter = createLimiter({ store, onNearLimit, ...options } as unknown as LimiterOptions);
  return { clock, limiter, onNearLimit };
}

describe("onNearLimit", () => {
  it.each([
    { limit: 10, nearLimit: undefined, costs: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], at: [7] },
    { limit: 10, nearLimit: 0.5, costs: [4, 3, 3], at: [1] },
    { limit: 10, nearLimit: 0.5, costs: [10], at: [0] },
    { limit: 100, nearLimit: 0.07, costs: [6, 1, 1], at: [1] },
    { limit: 100, nearLimit: 0.29, costs: [28, 1, 71], at: [1] },
    { limit: 3, nearLimit: 0.01, costs: [1, 1, 1], at: [0] },
    { limit: 10, nearLimit: 0.9, costs: [8, 0, 3, 1], at: [3] },
    { limit: 0, nearLimit: 0.5, costs: [1], at: [] },
  ])(
    "is told of the request that crosses: $costs of $limit",
    async ({ limit, nearLimit, costs, at }) => {
      const { limiter, onNearLimit } = watched({ ...fixed, limit, nearLimit });
      const told: number[] = [];
      for (const [i, cost] of costs.entries()) {
        const before = onNearLimit.mock.calls.length;
        const decision = await limiter.check("key", { cost });
        if (onNearLimit.mock.calls.length === before) continue;
        expect(onNearLimit).toHaveBeenLastCalledWith(decision, undefined, decision.statuses[0]);
        told.push(i);
      }
      expect(told).toEqual(at);
    },
  );

  it("is told again once the use was below, and of no look", async () => {
    const { limiter, onNearLimit, clock } = watched({ ...fixed, limit: 2, nearLimit: 0.5 });
    for (let i = 0; i < 2; i++) {
      await limiter.peek("key");
      await limiter.check("key");
      await limiter.check("key");
      await limiter.check("key");
      expect(onNearLimit).toHaveBeenCalledTimes(i + 1);
      clock.advance(60_000);
    }
  });

  it("measures a bucket by what fits at once", async () => {
    const bucket = { algorithm: "token-bucket", limit: 100, window: "1h", nearLimit: 0.5 };
    for (const [burst, crossing] of [
      [10, 5],
      [1000, 950],
    ] as const) {
      const { limiter, onNearLimit } = watched({ ...bucket, burst });
      await limiter.check("key", { cost: crossing - 1 });
      expect(onNearLimit).not.toHaveBeenCalled();
      await limiter.check("key");
      expect(onNearLimit).toHaveBeenCalledOnce();
    }
  });

  it("measures a bucket that a fallback has shared by what its share holds", async () => {
    const crossings: number[][] = [];
    const bucket = { algorithm: "token-bucket", window: "1h", nearLimit: 0.8 } as const;
    const down = { take: () => Promise.reject(new Error("down")), give() {}, reset() {} };
    for (const [limit, burst, shared] of [
      [100, 10, true],
      [50, 5, false],
    ] as const) {
      const memory = memoryStore({ clock: manualClock() });
      const store = shared ? fallbackStore(down, { fallback: memory, share: 0.5 }) : memory;
      const { limiter, onNearLimit } = watched({ ...bucket, limit, burst, store });
      const told: number[] = [];
      for (let i = 0; i < 5; i++) {
        const { remaining } = await limiter.check("key");
        if (onNearLimit.mock.calls.length > told.length) told.push(remaining);
      }
      crossings.push(told);
    }
    expect(crossings[0]).toEqual(crossings[1]);
    expect(crossings[0]).toHaveLength(1);
  });

  it("is told once of a request, whichever of its policies it takes near", async () => {
    const policies = [
      { ...fixed, name: "a", limit: 2 },
      { ...fixed, name: "b", limit: 2 },
      { ...fixed, name: "c", limit: 100, shadow: true },
    ];
    const { limiter, onNearLimit } = watched({ policies, nearLimit: 0.5 });
    await limiter.check("key");
    expect(onNearLimit).toHaveBeenCalledOnce();
  });

  it("reaches no request with what it throws", async () => {
    const onError = vi.fn();
    const onNearLimit = () => Promise.reject(new Error("mine"));
    const { limiter } = watched({ ...fixed, limit: 1, onNearLimit, onError });
    expect((await limiter.check("key")).allowed).toBe(true);
    await new Promise(setImmediate);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: "mine" }), undefined);
  });

  it("has a channel beside it", async () => {
    const heard = vi.fn();
    subscribe("spillway:near-limit", heard);
    const limiter = createLimiter({ ...fixed, limit: 5, store: memoryStore() });
    const decisions = [];
    for (let i = 0; i < 5; i++) decisions.push(await limiter.check("key"));
    unsubscribe("spillway:near-limit", heard);
    expect(heard.mock.calls.map(([message]) => message)).toEqual([
      { decision: decisions[3], req: undefined, status: decisions[3]!.statuses[0] },
    ]);
  });

  it.each([0, 1, -0.5, 80, "0.8", Number.NaN, null])("takes no ratio of %s", (nearLimit) => {
    expect(() => watched({ ...fixed, limit: 1, nearLimit })).toThrow(
      /^nearLimit: expected a number above 0 and below 1/,
    );
  });
});

describe("shadow of a limiter", () => {
  it("is that of all its policies, but for those that say otherwise", async () => {
    const policies = [
      { ...fixed, name: "a", limit: 1 },
      { ...fixed, name: "b", limit: 2, shadow: false },
    ];
    const limiter = createLimiter({ policies, shadow: true, store: memoryStore() });
    await limiter.check("key");
    expect(await limiter.check("key")).toMatchObject({
      allowed: true,
      shadowed: true,
      statuses: [
        { policy: "a", allowed: false, shadow: true },
        { allowed: true, shadow: false },
      ],
    });
    expect(await limiter.check("key")).toMatchObject({ allowed: false, policy: "b" });
    const flat = createLimiter({ ...fixed, limit: 0, shadow: true });
    expect(await flat.check("key")).toMatchObject({ allowed: true, shadowed: true });
  });
});
