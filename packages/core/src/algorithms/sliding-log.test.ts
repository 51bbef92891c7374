import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type Row, rows } from "../testing/rows.ts";

const algorithm = "sliding-log";

const tables: [name: string, options: Omit<PolicyOptions, "algorithm">, table: Row[]][] = [
  [
    "lets each unit go one window after it came",
    { limit: 2, window: "1m" },
    [
      [0, 1, true, 1, 0, 60_000],
      [50_000, 1, true, 0, 0, 60_000],
      [55_000, 1, false, 0, 5000, 55_000],
      [59_999, 1, false, 0, 1],
      [60_000, 1, true, 0, 0, 60_000],
      [60_000, 2, false, 0, 60_000],
      [110_000, 1, true, 0],
    ],
  ],
  [
    "waits for as many units as the cost",
    { limit: 5, window: 1000 },
    [
      [0, 2, true, 3],
      [100, 1, true, 2],
      [200, 2, true, 0],
      [300, 4, false, 0, 900],
      [300, 3, false, 0, 800],
      [300, 6, false, 0, Infinity],
      [1000, 2, true, 0],
      [1200, 3, true, 0],
    ],
  ],
  [
    "charges refusals as the newest, where they count",
    { limit: 3, window: 1000, countRefused: true },
    [
      [0, 3, true, 0],
      [900, 2, false, 0, 1000],
      [1000, 1, true, 0],
      [1899, 1, false, 0],
    ],
  ],
  [
    "moves what lies ahead of a clock that stepped back to its new time",
    { limit: 3, window: 1000 },
    [
      [10_000, 1, true, 2],
      [10_400, 2, true, 0],
      [10_200, 1, false, 0, 800],
      [10_200, 2, false, 0, 1000],
      [11_000, 1, true, 0],
      [11_200, 2, true, 0],
    ],
  ],
];

describe("sliding log", () => {
  it.each(tables)("%s", async (_name, options, table) => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    await rows(createLimiter({ ...options, algorithm, store }), clock, table);
  });

  it("is a list of what was admitted, whatever limit and window become", () => {
    fc.assert(
      fc.property(fc.array(step(), { maxLength: 60 }), (steps) => {
        const key = bareKey(policyOf({ algorithm, limit: 5, window: 50 }));
        let admitted: number[] = [];
        let forgotten = 0;
        let now = 1_000_000;
        for (const { after, cost, limit, window } of steps) {
          now += after;
          if (limit !== undefined) key.policy = policyOf({ algorithm, limit, window });
          const { policy } = key;
          if (now >= forgotten) admitted = [];
          const live = () => admitted.filter((at) => at > now - policy.window).length;
          const fits = cost === 0 || live() + cost <= policy.limit;
          expect(key.take(now, cost)).toBe(fits);
          if (fits && cost > 0) {
            admitted.push(...Array<number>(cost).fill(now));
            // A log is limited to the limit it was written under, and kept for that window.
            admitted = admitted.slice(-policy.limit);
            forgotten = now + policy.window;
          }
          expect(key.view(now, 1).remaining).toBe(Math.max(0, policy.limit - live()));
        }
      }),
    );
  });

  it("gives back the units of one charge, and no others", () => {
    const key = bareKey(policyOf({ algorithm, limit: 6, window: 100 }));
    key.take(1000, 2);
    key.take(1010, 3);
    const left = key.report(1010, 3);
    key.take(1020, 1);
    key.give(1030, 3, 1010, left);
    expect(key.view(1030, 1)).toMatchObject({ remaining: 3, resetAfter: 90 });
    key.give(1030, 3, 1010, left);
    expect(key.view(1030, 1).remaining).toBe(3);
    expect(key.view(1100, 1).remaining).toBe(5);
    expect(key.view(1120, 1)).toMatchObject({ remaining: 6, resetAfter: 0 });
  });

  it("holds a hundred thousand units, and refuses to hold more", () => {
    const limit = 100_000;
    const key = bareKey(policyOf({ algorithm, limit, window: 1000 }), [0, 0, 0, 0]);
    expect(key.take(5000, limit - 1)).toBe(true);
    expect(key.take(5500, 1)).toBe(true);
    expect(key.view(5500, 1)).toMatchObject({ remaining: 0, retryAfter: 500 });
    expect(key.view(5500, limit).retryAfter).toBe(1000);
    expect(key.take(6000, limit)).toBe(false);
    expect(key.take(6500, limit)).toBe(true);
    expect(key.slots).toHaveLength(4 + limit);
    expect(() => policyOf({ algorithm, limit: limit + 1, window: 1000 })).toThrow(
      "limit: expected at most 100000 for a sliding log, received 100001",
    );
  });
});

function step() {
  return fc.record({
    after: fc.integer({ min: 0, max: 25 }),
    cost: fc.integer({ min: 0, max: 4 }),
    limit: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined, freq: 6 }),
    window: fc.integer({ min: 1, max: 80 }),
  });
}
