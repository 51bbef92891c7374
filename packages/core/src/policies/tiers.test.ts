import { describe, expect, it, vi } from "vitest";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { LimiterOptions } from "../options/limiter-options.ts";
import { manualClock } from "../testing/manual-clock.ts";

const fixed = { algorithm: "fixed-window", window: "1h", limit: 100 } as const;
const tiers = { pro: { limit: 1000 }, enterprise: { limit: 10_000, window: "1d" } } as const;

const make = (options: object) =>
  createLimiter({
    store: memoryStore({ clock: manualClock() }),
    ...options,
  } as unknown as LimiterOptions);

describe("tiers", () => {
  it("say how much, and those without one have what stands beside", async () => {
    const limiter = make({ ...fixed, tiers });
    for (const [tier, limit, window] of [
      ["pro", 1000, 3_600_000],
      ["enterprise", 10_000, 86_400_000],
      [undefined, 100, 3_600_000],
      [null, 100, 3_600_000],
      ["", 100, 3_600_000],
    ] as const) {
      const decision = await limiter.check(`key of ${tier}`, { tier });
      expect(decision).toMatchObject({ limit, remaining: limit - 1, statuses: [{ window }] });
    }
  });

  it("are chosen by a function of the request, now or later, unless one is named", async () => {
    for (const tier of [() => "pro", async () => "pro"]) {
      const limiter = make({ ...fixed, tiers, tier });
      expect((await limiter.check("key")).limit).toBe(1000);
      expect((await limiter.check("key", { tier: "enterprise" })).limit).toBe(10_000);
      expect((await limiter.check("key", { tier: null })).limit).toBe(100);
    }
  });

  it("inherit what they leave out, also functions, and may be functions", async () => {
    const limiter = make({
      algorithm: "token-bucket",
      limit: async () => 60,
      window: () => "1m",
      burst: () => 20,
      tiers: { pro: { limit: () => 600 }, big: { burst: 50 }, slow: { window: "2m" } },
    });
    const at = async (tier?: string) => {
      const { limit, remaining, resetAfter } = await limiter.check(`of ${tier}`, { tier });
      return [limit, remaining, resetAfter];
    };
    expect(await at()).toEqual([60, 19, 1000]);
    expect(await at("pro")).toEqual([600, 19, 100]);
    expect(await at("big")).toEqual([60, 49, 1000]);
    expect(await at("slow")).toEqual([60, 19, 2000]);
  });

  it("that nobody knows are none, and warned of once", async () => {
    const onWarning = vi.fn();
    const limiter = make({ ...fixed, tiers, tier: () => "platinum", onWarning });
    for (const tier of [undefined, "gold", "__proto__", "toString"]) {
      expect((await limiter.check("key", { tier })).limit).toBe(100);
    }
    expect(onWarning).toHaveBeenCalledOnce();
    expect(onWarning.mock.calls[0]![0]).toMatchObject({
      code: "SPILLWAY_UNKNOWN_TIER",
      message: expect.stringContaining('"platinum"'),
    });
  });

  it("concern only the policies that have them; where none has, one that is named is warned of", async () => {
    const onWarning = vi.fn();
    const policies = [
      { ...fixed, name: "tiered", tiers },
      { ...fixed, name: "flat", limit: 7 },
    ];
    const limiter = make({ policies, onWarning });
    const { statuses } = await limiter.check("key", { tier: "pro" });
    expect(statuses.map(({ limit }) => limit)).toEqual([1000, 7]);
    expect(onWarning).not.toHaveBeenCalled();
    const untiered = make({ ...fixed, onWarning });
    for (let i = 0; i < 2; i++) await untiered.check("key", { tier: "pro" });
    expect(onWarning).toHaveBeenCalledOnce();
    expect(onWarning.mock.calls[0]![0]).toMatchObject({ code: "SPILLWAY_UNKNOWN_TIER" });
  });

  it("are texts", async () => {
    for (const tier of [5, {}, ["pro"], true]) {
      const limiter = make({ ...fixed, tiers, tier: () => tier });
      await expect(limiter.check("key")).rejects.toThrow(/^tier: expected the name of a tier/);
      await expect(limiter.check("key", { tier: tier as never })).rejects.toThrow(
        /^tier: expected/,
      );
    }
  });

  it.each([
    [{ tiers: {} }, /^tiers: expected an object of at least one tier, by their names/],
    [{ tiers: { pro: { limit: -1 } } }, /^tiers\.pro\.limit: expected a whole number from 0/],
    [{ tiers: { pro: { window: "1 minute" } } }, /^tiers\.pro\.window: expected whole milli/],
    [{ tiers: { pro: { limti: 5 } } }, /^tiers\.pro\.limti: expected a known option/],
    [
      { tiers: [] },
      /^tiers: expected an object of at least one tier, by their names, received an array/,
    ],
    [{ tiers: { pro: 5 } }, /^tiers\.pro: expected an object such as { limit: 1000 }, received 5/],
    [{ tier: () => "pro" }, /^tiers: expected tiers, of which tier chooses one/],
    [{ tier: "pro", tiers }, /^tier: expected a function/],
    [
      { tiers: { pro: { burst: 5 } } },
      /^tiers\.pro\.burst: expected this option only with algorithm "token-bucket" or/,
    ],
    [
      { algorithm: "sliding-window", tiers: { pro: { window: "day" } } },
      /^tiers\.pro\.window: expected a duration, or algorithm "fixed-window"/,
    ],
    [
      { align: "first-request", tiers: { pro: { window: "month" } } },
      /^tiers\.pro\.window: expected a duration with align/,
    ],
    [
      { algorithm: "sliding-log", tiers: { pro: { limit: 100_001 } } },
      /^tiers\.pro\.limit: expected at most 100000 for a sliding log, received 100001/,
    ],
    [
      { algorithm: "sliding-window", segments: 60, tiers: { pro: { window: 1001 } } },
      /^tiers\.pro\.window: expected a value for which segments is a divisor of the window's 1001 ms/,
    ],
    [
      {
        algorithm: "sliding-window",
        segments: 60,
        limit: () => 5,
        tiers: { pro: { window: 1001 } },
      },
      /^tiers\.pro\.window: expected a value for which segments/,
    ],
    [{ timeZone: "UTC", tiers }, /^window: expected window "day" or "month" with a timeZone/],
  ])("say what contradicts them: %o", (options, message) => {
    expect(() => make({ ...fixed, ...options })).toThrow(message);
  });

  it("name where they stand among several policies", () => {
    const policies = [{ ...fixed, name: "a", tiers: { pro: { burst: 5 } } }];
    expect(() => make({ policies })).toThrow(/^policies\[0\]\.tiers\.pro\.burst: /);
  });

  it("take calendar windows where the flat window is none, with its time zone", async () => {
    const limiter = make({ ...fixed, timeZone: "Asia/Tokyo", tiers: { pro: { window: "day" } } });
    expect((await limiter.check("key", { tier: "pro" })).statuses[0]!.window).toBe(86_400_000);
  });
});

describe("sizes that are functions", () => {
  it("are asked for each request, and refused where their answers do not fit", async () => {
    for (const [options, message] of [
      [{ window: () => "1 minute" }, /^window: expected whole milliseconds from 1/],
      [{ window: () => "day" }, /^window: expected a duration, or algorithm/],
      [{ burst: () => 0, algorithm: "token-bucket" }, /^burst: expected a whole number of at l/],
      [{ burst: async () => "5", algorithm: "token-bucket" }, /^burst: expected a whole number/],
      [{ tiers: { pro: { limit: () => -1 } }, tier: () => "pro" }, /^tiers\.pro\.limit: expected/],
      [{ limit: () => -1, tiers, tier: () => "x" }, /^limit: expected a whole number/],
      [{ segments: 7, window: async () => 100 }, /^segments: expected a divisor/],
    ] as const) {
      const limiter = make({ limit: 5, window: "1m", onWarning: () => {}, ...options });
      await expect(limiter.check("key")).rejects.toThrow(message);
    }
  });

  it("refuse at once what they could never make right", () => {
    const windows = { limit: () => 5, window: 1001, segments: 2 };
    expect(() => make(windows)).toThrow(/^segments: expected a divisor/);
    expect(() => make({ window: () => 100, limit: 200_000, algorithm: "sliding-log" })).toThrow(
      /^limit: expected at most 100000/,
    );
  });

  it("are compiled once per answer, and not more than some hundreds are kept", async () => {
    let [limit, window] = [1, 1000];
    const limiter = make({ limit: () => limit, window: () => window, algorithm: "fixed-window" });
    for (limit = 1; limit < 1000; limit++) {
      window = 1000 + (limit % 7);
      expect(await limiter.check("key")).toMatchObject({ limit });
    }
  });
});
