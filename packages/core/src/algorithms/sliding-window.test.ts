import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type Row, rows } from "../testing/rows.ts";

const algorithm = "sliding-window";

const tables: [name: string, options: PolicyOptions, table: Row[]][] = [
  [
    "weighs the previous window without rounding",
    { limit: 10, window: "1m" },
    [
      [59_000, 10, true, 0],
      // 10 × (1 − 600 / 60 000) is 9.9.
      [60_600, 1, false, 0, 5400],
      [65_999, 1, false, 0, 1],
      [66_000, 1, true, 0],
      [66_000, 1, false, 0, 6000],
      [72_000, 1, true, 0],
    ],
  ],
  [
    "waits through both windows for a cost of the whole limit",
    { limit: 4, window: 1000 },
    [
      [0, 1, true, 3, 0, 2000],
      [0, 4, false, 3, 2000, 2000],
      [1999, 4, false, 3, 1],
      [2000, 4, true, 0, 0, 2000],
    ],
  ],
  [
    "counts segments whole, and the one that leaves by its share",
    { limit: 6, window: 3000, segments: 3 },
    [
      [0, 3, true, 3],
      [1000, 2, true, 1],
      [2000, 1, true, 0, 0, 4000],
      // 3 of the first segment fade over a second: one is gone after 334 ms.
      [3000, 1, false, 0, 334],
      [3333, 1, false, 0, 1],
      [3334, 1, true, 0],
      [4000, 2, true, 0],
    ],
  ],
  [
    "charges only what it admits, else who keeps trying would starve",
    { limit: 2, window: 1000 },
    [
      [0, 2, true, 0],
      ...Array.from({ length: 9 }, (_, i): Row => [i * 100, 1, false, 0, 1500 - i * 100]),
      [1500, 1, true, 0],
    ],
  ],
  [
    "charges refusals up to the limit, where they count",
    { limit: 4, window: 1000, countRefused: true },
    [
      [0, 3, true, 1],
      [100, 3, false, 0],
      [1500, 2, true, 0, 0],
      [1500, 1, false, 0],
      [1999, 1, false, 0],
    ],
  ],
  [
    "moves what was counted back with the clock",
    { limit: 2, window: 1000 },
    [
      [100_000, 2, true, 0],
      [50_500, 1, false, 0, 1000],
      [51_499, 1, false, 0, 1],
      [51_500, 1, true, 0],
    ],
  ],
];

describe("sliding window", () => {
  it.each(tables)("%s", async (_name, options, table) => {
    const clock = manualClock();
    await rows(createLimiter({ ...options, store: memoryStore({ clock }) }), clock, table);
  });

  it("is the estimate of its formula, in fractions", () => {
    fc.assert(
      fc.property(numbers(), requests(), ({ limit, width, segments }, asked) => {
        const window = width * segments;
        const key = bareKey(policyOf({ algorithm, limit, window, segments }));
        const counts = new Map<number, number>();
        let now = 1_000_000;
        for (const { after, cost } of asked) {
          now += after;
          const fits = excessAt(now, cost, counts) <= 0n;
          if (fits) counts.set(indexOf(now), (counts.get(indexOf(now)) ?? 0) + cost);
          expect(key.take(now, cost)).toBe(fits);
          const view = key.view(now, cost);
          if (fits || cost > limit) continue;
          let wait = 0;
          while (excessAt(now + wait, cost, counts) > 0n) wait++;
          expect(view.retryAfter).toBe(wait);
        }

        function indexOf(at: number): number {
          return Math.floor(at / width);
        }

        /** Returns the estimate plus the cost minus the limit, in units of 1 / width. */
        function excessAt(at: number, cost: number, kept: Map<number, number>): bigint {
          const k = indexOf(at);
          const elapsed = BigInt(at - k * width);
          let sum = BigInt(cost - limit) * BigInt(width);
          for (let j = k - segments + 1; j <= k; j++) sum += BigInt((kept.get(j) ?? 0) * width);
          return sum + BigInt(kept.get(k - segments) ?? 0) * (BigInt(width) - elapsed);
        }
      }),
    );
  });

  it("compares exactly where a fraction would be rounded", () => {
    const window = 3_155_760_000_000;
    const limit = Math.floor(Number.MAX_SAFE_INTEGER / (2 * window));
    const key = bareKey(policyOf({ algorithm, limit, window }));
    expect(key.take(window, limit)).toBe(true);
    // The first unit of n is free when elapsed · n reaches one window.
    const free = Math.ceil(window / limit);
    expect(key.view(2 * window, 1).retryAfter).toBe(free);
    expect(key.copy().take(2 * window + free - 1, 1)).toBe(false);
    expect(key.take(2 * window + free, 1)).toBe(true);
  });

  it.each([
    [{ limit: 75_059_993_789, window: 60_000 }, undefined],
    [{ limit: 75_059_993_790, window: 60_000 }, /^limit: expected at most 75059993789 /],
    [{ limit: 2 ** 50, window: 60_000, segments: 3 }, /^limit: expected at most 112589990684 /],
    [
      { limit: 1, window: 1000, segments: 3 },
      /^segments: expected a divisor of the window's 1000 /,
    ],
  ])("says what it cannot keep exactly: %j", (settings, problem) => {
    const make = () => policyOf({ algorithm, ...settings });
    if (problem) expect(make).toThrow(problem);
    else expect(make).not.toThrow();
  });

  it("forgets what was counted under a shorter window when that one ends", () => {
    const key = bareKey(policyOf({ algorithm, limit: 5, window: 1000 }));
    key.take(5000, 5);
    key.policy = policyOf({ algorithm, limit: 5, window: 60_000 });
    expect(key.view(5500, 1)).toMatchObject({ remaining: 0, retryAfter: 1500, resetAfter: 1500 });
    expect(key.copy().take(6999, 1)).toBe(false);
    expect(key.copy().take(7000, 5)).toBe(true);
  });

  it("keeps what was counted under a longer window for as long as the new one", () => {
    const key = bareKey(policyOf({ algorithm, limit: 5, window: 60_000 }));
    key.take(60_000, 2);
    key.take(64_500, 3);
    key.policy = policyOf({ algorithm, limit: 5, window: 1000 });
    expect(key.view(64_800, 1)).toMatchObject({ remaining: 0, retryAfter: 400, resetAfter: 1200 });
    expect(key.copy().take(65_199, 1)).toBe(false);
    expect(key.copy().take(65_200, 1)).toBe(true);
    expect(key.copy().take(66_000, 5)).toBe(true);
  });
});

function numbers() {
  return fc.record({
    limit: fc.integer({ min: 0, max: 12 }),
    width: fc.integer({ min: 1, max: 40 }),
    segments: fc.integer({ min: 1, max: 6 }),
  });
}

function requests() {
  return fc.array(
    fc.record({ after: fc.integer({ min: 0, max: 30 }), cost: fc.integer({ min: 0, max: 5 }) }),
    { maxLength: 40 },
  );
}
