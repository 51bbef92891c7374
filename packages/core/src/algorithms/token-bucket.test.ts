import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { longestDuration } from "../duration.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type Row, rows } from "../testing/rows.ts";

const algorithm = "token-bucket";
const year = 31_536_000_000;

const tables: [name: string, options: Omit<PolicyOptions, "algorithm">, table: Row[]][] = [
  [
    "earns what it waits for, to the millisecond",
    { limit: 1, window: "1s" },
    [
      [0, 1, true, 0, 0, 1000],
      [200, 1, false, 0, 800, 800],
      [999, 1, false, 0, 1],
      [1000, 1, true, 0],
    ],
  ],
  [
    "holds a burst of another size than the limit",
    { limit: 2, window: "1s", burst: 40 },
    [
      // Remaining never exceeds the limit.
      [0, 30, true, 2, 0, 15_000],
      [0, 9, true, 1, 0, 19_500],
      [0, 2, false, 1, 500],
      [0, 41, false, 1, Infinity],
      [500, 2, true, 0, 0, 20_000],
      [20_500, 40, true, 0],
    ],
  ],
  [
    "shares three units among ten milliseconds without drift",
    { limit: 3, window: 10 },
    [
      [0, 3, true, 0, 0, 10],
      [0, 1, false, 0, 4],
      [3, 1, false, 0, 1],
      [4, 1, true, 0],
      [6, 1, false, 0, 1],
      [7, 1, true, 0],
      [9, 1, false, 0, 1],
      [10, 1, true, 0, 0, 10],
    ],
  ],
  [
    "admits more than a unit per millisecond",
    { limit: 5000, window: "1s", burst: 10 },
    [
      [0, 10, true, 0, 0, 2],
      [0, 1, false, 0, 1],
      [1, 5, true, 0],
      [1, 6, false, 0, 2],
      [3, 10, true, 0],
    ],
  ],
  [
    "empties itself for refusals, where they count",
    { limit: 4, window: "4s", countRefused: true },
    [
      [0, 2, true, 2],
      [0, 3, false, 0, 3000, 4000],
      [500, 1, false, 0, 1000],
      [1500, 1, true, 0],
    ],
  ],
  [
    "goes on from the new time when the clock steps back",
    { limit: 3, window: 300 },
    [
      [100, 1, true, 2],
      [0, 1, true, 1],
      [0, 1, true, 0],
      [0, 1, false, 0, 100],
      [99, 1, false, 0, 1],
      [100, 1, true, 0],
      [100, 1, false, 0, 100],
    ],
  ],
];

describe("token bucket", () => {
  it.each(tables)("%s", async (_name, options, table) => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    await rows(createLimiter({ ...options, algorithm, store }), clock, table);
  });

  it("is a bucket of fractions", () => {
    fc.assert(
      fc.property(numbers(), requests(), ({ limit, window, burst }, asked) => {
        const key = bareKey(policyOf({ algorithm, limit, window, burst }));
        // Tokens in units of 1 / window.
        const [rate, unit, full] = [BigInt(limit), BigInt(window), BigInt(burst) * BigInt(window)];
        let tokens = full;
        let now = 1_000_000;
        for (const { after, cost } of asked) {
          now += after;
          tokens += rate * BigInt(after);
          if (tokens > full) tokens = full;
          const price = BigInt(cost) * unit;
          const fits = price <= tokens;
          if (fits) tokens -= price;
          expect(key.take(now, cost)).toBe(fits);
          const view = key.view(now, cost);
          expect(view.remaining).toBe(Math.min(limit, Number(tokens / unit)));
          expect(view.resetAfter).toBe(Number((full - tokens + rate - 1n) / rate));
          if (fits) continue;
          const wait = cost > burst ? Infinity : Number((price - tokens + rate - 1n) / rate);
          expect(view.retryAfter).toBe(wait);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("lets no more than burst + limit · D / window pass in any interval of any length D", () => {
    fc.assert(
      fc.property(numbers(9), requests(), ({ limit, window, burst }, asked) => {
        const key = bareKey(policyOf({ algorithm, limit, window, burst }));
        const passed: [number, number][] = [];
        let now = 1_000_000;
        for (const { after, cost } of asked) {
          now += after;
          if (key.take(now, cost)) passed.push([now, cost]);
        }
        for (let i = 0; i < passed.length; i++) {
          let sum = 0;
          for (let j = i; j < passed.length; j++) {
            sum += passed[j]![1];
            const length = passed[j]![0] - passed[i]![0];
            expect(sum * window).toBeLessThanOrEqual(burst * window + limit * length);
          }
        }
      }),
    );
  });

  it.each([
    [1000, 1000, 1000],
    [1_000_000_000, 1000, 1000],
    [1_000_000_000, 1000, 1_000_000_000],
    [3, 7, 1_000_000],
    [1, 86_400_000, 1000],
  ])("is full and no fuller after any pause: %d per %d ms, burst %d", (limit, window, burst) => {
    const key = bareKey(policyOf({ algorithm, limit, window, burst }));
    for (const now of [0, year, 11 * year, Number.MAX_SAFE_INTEGER]) {
      const waited = key.view(now, burst).retryAfter;
      if (now === 0 || now === Number.MAX_SAFE_INTEGER) expect(waited).toBe(0);
      const at = Math.min(now + waited, Number.MAX_SAFE_INTEGER);
      expect(key.take(at, burst)).toBe(true);
      expect(key.take(at, 1)).toBe(false);
      expect(key.slots.every((slot) => Number.isSafeInteger(slot) && slot >= 0)).toBe(true);
    }
  });

  it("says how large a burst it can keep exactly", () => {
    const make = (burst: number) => policyOf({ algorithm, limit: 7, window: 86_400_000, burst });
    const largest = 52_124_994;
    expect(() => make(largest + 1)).toThrow(
      `burst: expected at most ${largest} for this limit and window, received ${largest + 1}`,
    );
    const key = bareKey(make(largest));
    expect(key.take(1_700_000_000_000, largest)).toBe(true);
    expect(key.view(1_700_000_000_000, 1).retryAfter).toBe(Math.ceil(86_400_000 / 7));
    expect(() => policyOf({ algorithm, limit: 2 ** 52, window: 3 })).toThrow(
      /^limit: expected at most/,
    );
  });

  it.each<[limit: number, window: number, most: number]>([
    [123_456_789_012_345, 86_400_000, 52_124_994],
    [781_874_934, 86_400_000, 52_124_994],
    [2 ** 52, 3, 1_501_199_875_790_164],
    [Number.MAX_SAFE_INTEGER, longestDuration, 1427],
  ])(
    "says of a limit of %d per %d ms, without a burst, which limits it can keep",
    (limit, window, most) => {
      expect(() => policyOf({ algorithm, limit, window })).toThrow(
        `limit: expected at most ${most}, or more where limit and window share large factors, received ${limit}`,
      );
    },
  );

  it("keeps every limit up to the one that it names, and others where limit and window share factors", () => {
    const isKept = (limit: number, window: number): boolean => {
      try {
        return policyOf({ algorithm, limit, window }).limit === limit;
      } catch {
        return false;
      }
    };
    const power = fc.double({ min: 0, max: 53, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(power, power, share, (p, q, part) => {
        const limit = Math.min(Math.floor(2 ** p), Number.MAX_SAFE_INTEGER);
        const window = Math.min(Math.floor(2 ** q), longestDuration);
        const most = namedIn(() => policyOf({ algorithm, limit, window }));
        if (most === undefined) return;
        expect(limit).toBeGreaterThan(most);
        expect(isKept(most, window)).toBe(true);
        expect(isKept(Math.floor(most * part), window)).toBe(true);
        // A multiple of the window works; above the limit named, one without common factors does not.
        const whole = Math.floor((2 ** 52 - 1) / window) * window;
        expect(isKept(whole, window)).toBe(true);
        if ((most + 1) % window !== 0 && gcd(most + 1, window) === 1) {
          expect(isKept(most + 1, window)).toBe(false);
        }
        // An explicit burst leaves the limit unchanged.
        const burst = namedIn(() => policyOf({ algorithm, limit, window, burst: limit }));
        expect(policyOf({ algorithm, limit, window, burst: burst! }).limit).toBe(limit);
      }),
      { numRuns: 2000 },
    );
  });

  it("drains at the rate in force, and is never asked to wait longer than under the old one", () => {
    const at = (limit: number, window: number, burst = limit) =>
      policyOf({ algorithm, limit, window, burst });
    const key = bareKey(at(10, 20_000));
    key.take(0, 10);
    key.policy = at(1000, 20_000, 10);
    expect(key.view(0, 1).retryAfter).toBe(20);
    key.policy = at(1, 20_000, 10);
    expect(key.view(0, 1).retryAfter).toBe(20_000);
    // At the rate it was written under, the bucket would be empty by then, and may be forgotten.
    key.policy = at(1, 60_000, 10);
    expect(key.view(0, 1).retryAfter).toBe(20_000);
    expect(key.copy().take(19_999, 1)).toBe(false);
    expect(key.copy().take(20_000, 10)).toBe(true);
  });

  it("gives back less of what has drained since", () => {
    const key = bareKey(policyOf({ algorithm, limit: 10, window: 1000 }));
    key.take(0, 4);
    const left = key.report(0, 4);
    const late = key.copy();
    late.give(100, 4, 0, left);
    expect(late.view(100, 1)).toMatchObject({ remaining: 10, resetAfter: 0 });
    key.take(300, 5);
    key.give(300, 4, 0, left);
    expect(key.view(300, 1)).toMatchObject({ remaining: 5, resetAfter: 500 });
  });

  it.each<[what: string, before: Sizes, cost: number, after: Sizes, took: number, left: number]>([
    // The present weight of a charge is unknown after a write at another rate.
    ["a limit that was raised", [100, 60_000], 89, [200, 60_000], 1, 109],
    ["a limit that was lowered", [200, 60_000], 90, [100, 60_000], 1, 8],
    ["a limit that was raised, and not used yet", [100, 60_000], 89, [200, 60_000], 0, 199],
    ["a smaller bucket", [10, 1000, 10], 6, [10, 1000, 8], 0, 7],
    ["a larger bucket", [10, 1000, 10], 1, [10, 1000, 1000], 900, 10],
  ])("gives back under %s what was taken before", (_, before, cost, after, took, left) => {
    const policy = ([limit, window, burst]: Sizes) => policyOf({ algorithm, limit, window, burst });
    const key = bareKey(policy(before));
    key.take(0, 1);
    key.take(0, cost);
    const behind = key.report(0, cost);
    key.policy = policy(after);
    if (took > 0) key.take(0, took);
    key.policy = policy(before);
    key.give(0, cost, 0, behind);
    key.policy = policy(after);
    expect(key.view(0, 1).remaining).toBe(Math.min(left, after[0]));
  });

  it("drains at the rate in force after a refund, and takes nothing away by it", () => {
    const policy = ([limit, window, burst]: Sizes) => policyOf({ algorithm, limit, window, burst });
    const slower = bareKey(policy([4, 10_000]));
    slower.take(0, 3);
    slower.take(0, 1);
    slower.give(4000, 1, 0, slower.report(0, 1));
    slower.policy = policy([2, 60_000, 4]);
    // Of three units, four seconds at the new rate have drained an eighth.
    expect(slower.view(4000, 1).remaining).toBe(1);
    const faster = bareKey(policy([1000, 10_000]));
    faster.take(0, 925);
    faster.give(2000, 6, 0, faster.report(0, 6));
    faster.policy = policy([60, 3000, 30]);
    expect(faster.view(2000, 1).remaining).toBe(30);
  });

  it("gives back no more than was taken, and takes nothing away, in larger buckets too", () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 80 }),
    );
    const step = fc.tuple(fc.nat(3000), fc.nat(20));
    const steps = fc.tuple(step, step, step, fc.nat(3000));
    fc.assert(
      fc.property(
        sizes,
        fc.nat(50),
        fc.integer({ min: 1, max: 130 }),
        steps,
        (before, grown, after, [one, two, three, rest]) => {
          const policy = ([limit, window, burst]: Sizes) =>
            policyOf({ algorithm, limit, window, burst });
          const charged = bareKey(policy(before));
          const given = bareKey(policy(before));
          const never = bareKey(policy(before));
          const all = [charged, given, never];
          for (const key of all) key.take(...one);
          const at = one[0] + two[0];
          const cost = two[1];
          if (!charged.take(at, cost)) return;
          given.take(at, cost);
          const left = given.report(at, cost);
          const now = at + three[0];
          const [limit, window, burst] = before;
          for (const key of all) key.policy = policy([limit, window, burst + grown]);
          // What fits with the charge fits without it.
          if (charged.take(now, three[1]))
            for (const key of [given, never]) key.take(now, three[1]);
          given.policy = policy(before);
          given.give(now, cost, at, left);
          for (const key of all) key.policy = policy([limit, window, after]);
          const view = (key: typeof given) => key.view(now + rest, 1);
          expect(view(given).remaining).toBeGreaterThanOrEqual(view(charged).remaining);
          expect(view(given).remaining).toBeLessThanOrEqual(view(never).remaining);
          expect(view(given).retryAfter).toBeLessThanOrEqual(view(charged).retryAfter);
          expect(view(given).retryAfter).toBeGreaterThanOrEqual(view(never).retryAfter);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

type Sizes = readonly [limit: number, window: number, burst?: number];

/** Returns the number named by a policy's problem; undefined when it has none. */
function namedIn(make: () => unknown): number | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    return Number(/expected at most (\d+)/.exec((error as Error).message)![1]);
  }
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function numbers(most = 2000) {
  return fc.record({
    limit: fc.integer({ min: 1, max: most }),
    window: fc.integer({ min: 1, max: 1000 }),
    burst: fc.integer({ min: 1, max: most }),
  });
}

function requests() {
  return fc.array(
    fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 })),
      cost: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2000 })),
    }),
    { maxLength: 40 },
  );
}
