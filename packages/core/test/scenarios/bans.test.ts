import { expect, it } from "vitest";
import { createLimiter, type Decision, denyCache, fallbackStore } from "../../src/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { PolicyOptions } from "../../src/options/policy-options.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { limited, times } from "./limited.ts";

const every: [string, Partial<PolicyOptions>][] = [
  ["a fixed window", { algorithm: "fixed-window" }],
  ["a window of its own", { algorithm: "fixed-window", align: "first-request" }],
  ["a sliding window", { algorithm: "sliding-window" }],
  ["a sliding window in segments", { algorithm: "sliding-window", segments: 5 }],
  ["a sliding log", { algorithm: "sliding-log" }],
  ["a token bucket", { algorithm: "token-bucket" }],
  ["a leaky bucket", { algorithm: "leaky-bucket" }],
];

const seconds = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const doubled = [60, 120, 240, 480, 960, 1920, 3600];

it.each(every)(
  "B91 lets a penalty of %s grow to its ceiling and stay there",
  async (_, options) => {
    const ban = { for: "60s", factor: 2, ceiling: "1h", extend: true } as const;
    const { at } = limited({ ...options, limit: 1, window: "60s", ban });
    await at(0);
    const told = await times(100, () => at(1000));
    const waits = told.map(([status, remaining, wait]) => {
      expect([status, remaining]).toEqual([429, 0]);
      return wait;
    });
    // A sliding window may itself refuse for longer than the first ban lasts.
    const fades = options.algorithm === "sliding-window";
    expect(waits[0]).toBe(fades ? (options.segments ? 71 : 119) : 60);
    expect(waits.slice(1)).toEqual([...doubled.slice(1), ...Array(93).fill(3600)]);
    expect((await at(3_600_999))[0]).toBe(429);
  },
);

it.each(every)(
  "B91 keeps the second ban of %s beyond the base window, to the millisecond",
  async (_, options) => {
    const ban = { for: "60s", factor: 2, ceiling: "1h", extend: true } as const;
    const { at, limiter, store, clock } = limited({ ...options, limit: 1, window: "60s", ban });
    const start = clock();
    await at(0);
    await at(1000);
    expect(await at(2000)).toEqual([429, 0, 120]);
    clock.set(start + 2000 + 61_000);
    expect(store.size).toBe(1);
    expect(await limiter.peek("key")).toMatchObject({ reason: "blocked", retryAfter: 59_000 });
    clock.set(start + 121_999);
    expect((await limiter.peek("key")).retryAfter).toBe(1);
    expect((await at(122_000))[0]).toBe(200);
  },
);

it.each(every)("B91 waits out bans of %s that grow", async (_, options) => {
  const ban = { for: "60s", factor: 2, ceiling: "1h" } as const;
  const { limiter, clock } = limited({ ...options, limit: 1, window: "10s", ban });
  const waits: number[] = [];
  for (let i = 0; i < 9; i++) {
    expect((await limiter.check("key")).allowed).toBe(true);
    const { reason, retryAfter } = await limiter.check("key");
    expect(reason).toBe("blocked");
    waits.push(retryAfter / 1000);
    clock.advance(retryAfter - 1);
    expect((await limiter.check("key")).allowed).toBe(false);
    clock.advance(1);
  }
  expect(waits).toEqual([...doubled, 3600, 3600]);
});

it.each(every)("B92 blocks %s for as long as it says, whatever is tried", async (_, options) => {
  const { at } = limited({ ...options, limit: 5, window: "10s", ban: { for: "30s" } });
  await times(5, () => at(0));
  const told = await times(30, (i) => at((i + 1) * 1000));
  expect(told).toEqual(seconds(1, 30).map((wait) => [429, 0, 31 - wait]));
  expect(await at(31_000)).toEqual([200, 4]);
});

it.each(every)("B92 never blocks who stays within the limit of %s", async (_, options) => {
  const ban = { for: "30s", extend: true } as const;
  const { at } = limited({ ...options, limit: 5, window: "10s", ban });
  const told = await times(60, (i) => at(i * 5000));
  expect(told.every(([status]) => status === 200)).toBe(true);
});

it("B92 counts refusals within a period, from the first of them on", async () => {
  const ban = { after: 3, within: "20s", for: "60s" } as const;
  const { at } = limited({ limit: 1, window: "10s", ban });
  const told = [];
  for (const second of [0, 1, 2, 21, 22, 23]) told.push(await at(second * 1000));
  // The refusal at 21 s starts a new period: the first one was 20 s ago.
  expect(told.map(([status]) => status)).toEqual([200, 429, 429, 200, 429, 429]);
  expect(await at(24_000)).toEqual([429, 0, 60]);
  expect((await at(83_999))[0]).toBe(429);
  expect((await at(84_000))[0]).toBe(200);
});

it("B92 forgets how often it banned once the key was free for as long, and at least a period", async () => {
  const { at } = limited({ limit: 1, window: "10s", ban: { for: "20s", factor: 3 } });
  const ban = async (time: number): Promise<number | undefined> => {
    await at(time);
    return (await at(time))[2];
  };
  expect(await ban(0)).toBe(20);
  // Free from 20 s on.
  expect(await ban(39_999)).toBe(60);
  // Free from 99.999 s on.
  expect(await ban(160_000)).toBe(20);
});

it("B92 remembers a short ban for a whole period", async () => {
  const { at } = limited({ limit: 1, window: "60s", ban: { for: "1s", factor: 2 } });
  await at(0);
  expect((await at(0))[2]).toBe(60);
  const waits = [];
  for (const time of [60_000, 61_000]) {
    await at(time);
    waits.push((await at(time))[2]);
  }
  expect(waits).toEqual([60, 59]);
});

it("B92 counts no refusal of another policy, and none that only looks", async () => {
  const store = memoryStore({ clock: manualClock() });
  const limiter = createLimiter({
    store,
    policies: [
      { name: "banning", limit: 5, window: "60s", ban: { for: "1h" } },
      { name: "tight", limit: 1, window: "60s" },
    ],
  });
  await limiter.check("key");
  const refused = await times(50, () => limiter.check("key"));
  expect(refused.every(({ reason, policy }) => reason === "limited" && policy === "tight")).toBe(
    true,
  );
  await limiter.check("key", { policy: "banning", cost: 4 });
  await times(50, () => limiter.peek("key", { policy: "banning" }));
  await times(50, () => limiter.check("key", { policy: "banning", cost: 0 }));
  expect(await limiter.peek("key", { policy: "banning" })).toMatchObject({ reason: "limited" });
  const both = await limiter.check("key");
  expect(both).toMatchObject({ reason: "blocked", policy: "banning", retryAfter: 3_600_000 });
  expect(both.statuses.map(({ blocked }) => blocked)).toEqual([true, false]);
  expect(await limiter.check("key", { policy: "banning", cost: 0 })).toMatchObject({
    allowed: false,
    reason: "blocked",
  });
});

it("B92 only reports what a policy in shadow mode would block", async () => {
  const { limiter, clock } = limited({
    limit: 1,
    window: "10s",
    shadow: true,
    ban: { for: "30s" },
  });
  await limiter.check("key");
  for (const blocked of [true, true]) {
    const { allowed, reason, shadowed, statuses } = await limiter.check("key");
    expect([allowed, reason, shadowed, statuses[0]!.blocked]).toEqual([true, "ok", true, blocked]);
  }
  clock.advance(30_000);
  expect(await limiter.check("key")).toMatchObject({ shadowed: false, remaining: 0 });
});

it("B92 keeps refusals of a key that was never let in, where they are counted", async () => {
  for (const [, options] of every) {
    const ban = { after: 3, for: "30s" } as const;
    for (const limit of [0, 2]) {
      const { limiter, store, clock } = limited({ ...options, limit, window: "10s", ban });
      const reasons = (await times(5, () => limiter.check("key", { cost: 3 }))).map(
        ({ reason }: Decision) => reason,
      );
      const never = "cost-exceeds-limit";
      expect(reasons).toEqual([never, never, "blocked", "blocked", "blocked"]);
      expect(store.size).toBe(1);
      clock.advance(30_000);
      expect((await limiter.peek("key", { cost: 3 })).reason).toBe(never);
      expect((await limiter.check("key")).allowed).toBe(limit > 0);
    }
  }
});

it("B92 keeps no more keys than it may, and blocked ones to the last", async () => {
  const clock = manualClock();
  const store = memoryStore({ clock, maxKeys: 50 });
  const limiter = createLimiter({ limit: 1, window: "1h", ban: { after: 2, for: "1d" }, store });
  for (let i = 0; i < 3; i++) await limiter.check("attacker");
  await times(2000, (i) => limiter.check(`flood ${i}`, { cost: 2 }));
  expect(store.size).toBeLessThanOrEqual(50);
  expect((await limiter.peek("attacker")).reason).toBe("blocked");
});

it("B92 lets a reset lift a ban, and a refund not", async () => {
  const { limiter } = limited({ limit: 2, window: "10s", ban: { for: "30s" } });
  const first = await limiter.check("key");
  await limiter.check("key");
  expect((await limiter.check("key")).reason).toBe("blocked");
  await limiter.give(first);
  expect(await limiter.check("key")).toMatchObject({ reason: "blocked", retryAfter: 30_000 });
  await limiter.reset("key");
  expect(await limiter.check("key")).toMatchObject({ allowed: true, remaining: 1 });
});

it("B92 blocks for no longer than a ban where the clock steps back", async () => {
  const { at, limiter, clock } = limited({ limit: 1, window: "10s", ban: { for: "30s" } });
  await at(1_000_000);
  await at(1_000_000);
  expect(await at(0)).toEqual([429, 0, 30]);
  expect(await at(29_999)).toEqual([429, 0, 1]);
  expect(await limiter.peek("key")).toMatchObject({ reason: "blocked", retryAfter: 1 });
  clock.advance(1);
  expect((await limiter.check("key")).allowed).toBe(true);
});

it("B92 blocks with a share of the limit while the store fails", async () => {
  const clock = manualClock();
  const primary = {
    ...memoryStore({ clock }),
    take: (): never => {
      throw new Error("down");
    },
  };
  const store = fallbackStore(primary, { fallback: memoryStore({ clock }), share: 0.5, clock });
  const limiter = createLimiter({ limit: 4, window: "10s", ban: { for: "30s" }, store });
  const told = await times(4, () => limiter.check("key"));
  expect(told.map(({ allowed, limit, degraded }) => [allowed, limit, degraded])).toEqual([
    [true, 2, true],
    [true, 2, true],
    [false, 2, true],
    [false, 2, true],
  ]);
  expect(told[3]).toMatchObject({ reason: "blocked", retryAfter: 30_000 });
});

it.each([
  [false, 3 + 1],
  [true, 10],
])("B92 counts behind a cache of refusals, where trying extends: %s", async (extend, asked) => {
  const clock = manualClock();
  const memory = memoryStore({ clock });
  let asks = 0;
  const counting = {
    ...memory,
    take(...args: Parameters<typeof memory.take>) {
      asks++;
      return memory.take(...args);
    },
  };
  const ban = { after: 3, for: "30s", factor: 2, extend } as const;
  const store = denyCache(counting, { clock, maxAge: 60_000 });
  const limiter = createLimiter({ limit: 1, window: "10s", ban, store });
  const told = await times(10, () => limiter.check("key"));
  expect(told.map(({ reason }) => reason)).toEqual([
    "ok",
    "limited",
    "limited",
    ...Array(7).fill("blocked"),
  ]);
  expect(asks).toBe(asked);
  expect(told[9]!.retryAfter).toBeGreaterThanOrEqual(extend ? 30_000 * 2 ** 6 : 30_000);
});
