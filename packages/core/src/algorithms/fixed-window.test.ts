import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type Row, rows } from "../testing/rows.ts";

const hour = 3_600_000;
const algorithm = "fixed-window";

type Options = Omit<PolicyOptions, "algorithm">;

const tables: [name: string, options: Options, start: number, table: Row[]][] = [
  [
    "begins on the clock's grid",
    { limit: 10, window: "1m" },
    1_234_000,
    [
      [0, 5, true, 5, 0, 26_000],
      [0, 5, true, 0, 0, 26_000],
      [0, 1, false, 0, 26_000, 26_000],
      [25_999, 1, false, 0, 1, 1],
      [26_000, 1, true, 9, 0, 60_000],
    ],
  ],
  [
    "begins with the first charge, and not with a look",
    { limit: 2, window: "1m", align: "first-request" },
    1_234_000,
    [
      [0, 0, true, 2, 0, 0],
      [7000, 1, true, 1, 0, 60_000],
      [40_000, 1, true, 0, 0, 27_000],
      [66_999, 1, false, 0, 1, 1],
      [67_000, 2, true, 0, 0, 60_000],
    ],
  ],
  [
    "fits a cost of the whole limit, and never one above it",
    { limit: 5, window: "1s" },
    0,
    [
      [0, 6, false, 5, Infinity, 0],
      [0, 5, true, 0, 0, 1000],
      [1000, 1, true, 4],
      [1000, 5, false, 4, 1000],
    ],
  ],
  [
    "lets twice the limit pass across an edge",
    { limit: 10, window: "1m" },
    0,
    [
      [59_999, 10, true, 0],
      [60_000, 10, true, 0],
    ],
  ],
  [
    "charges refusals up to the limit, where they count",
    { limit: 5, window: "1m", countRefused: true },
    0,
    [
      [0, 2, true, 3],
      [1000, 4, false, 0, 59_000],
      [2000, 9, false, 0, Infinity],
      [60_000, 5, true, 0],
    ],
  ],
  [
    "carries what was used over a clock that steps back",
    { limit: 3, window: "1m", align: "first-request" },
    600_000,
    [
      [0, 3, true, 0, 0, 60_000],
      [-300_000, 1, false, 0, 60_000, 60_000],
      [-240_001, 1, false, 0, 1],
      [-240_000, 1, true, 2],
    ],
  ],
  [
    "keeps count of more than 2^32",
    { limit: Number.MAX_SAFE_INTEGER, window: "365d" },
    0,
    [
      [0, 1, true, Number.MAX_SAFE_INTEGER - 1],
      [0, 2 ** 52, true, 2 ** 52 - 2],
      [1, 2 ** 52 - 1, false, 2 ** 52 - 2, 365 * 24 * hour - 1],
      [1, 2 ** 52 - 2, true, 0],
    ],
  ],
  [
    "has windows of a millisecond",
    { limit: 1, window: 1 },
    0,
    [
      [0, 1, true, 0, 0, 1],
      [0, 1, false, 0, 1, 1],
      [1, 1, true, 0],
    ],
  ],
];

describe("fixed window", () => {
  it.each(tables)("%s", async (_name, options, start, table) => {
    const clock = manualClock(start);
    const store = memoryStore({ clock });
    await rows(createLimiter({ ...options, algorithm, store } as never), clock, table);
  });

  it("is a counter per window", () => {
    fc.assert(
      fc.property(numbers(), requests(), ({ limit, window }, asked) => {
        const key = bareKey(policyOf({ algorithm, limit, window }));
        const used = new Map<number, number>();
        let now = 1_000_000;
        for (const { after, cost } of asked) {
          now += after;
          const index = Math.floor(now / window);
          const before = used.get(index) ?? 0;
          const fits = before + cost <= limit;
          if (fits) used.set(index, before + cost);
          expect(key.take(now, cost)).toBe(fits);
          const left = limit - (used.get(index) ?? 0);
          expect(key.view(now, 1).remaining).toBe(left);
          if (left === 0 && limit > 0) {
            expect(key.view(now, 1).retryAfter).toBe((index + 1) * window - now);
          }
        }
      }),
    );
  });

  it("is a counter that the first charge starts", () => {
    fc.assert(
      fc.property(numbers(), requests(), ({ limit, window }, asked) => {
        const key = bareKey(policyOf({ algorithm, align: "first-request", limit, window }));
        let [end, used, now] = [0, 0, 1_000_000];
        for (const { after, cost } of asked) {
          now += after;
          if (now >= end) used = 0;
          const fits = used + cost <= limit;
          if (fits && used === 0 && cost > 0) end = now + window;
          if (fits) used += cost;
          expect(key.take(now, cost)).toBe(fits);
          expect(key.view(now, 1).resetAfter).toBe(used > 0 ? end - now : 0);
        }
      }),
    );
  });

  it("never gives a charge back to the window after its own", () => {
    const policy = policyOf({ algorithm, align: "first-request", limit: 5, window: 100 });
    const key = bareKey(policy);
    key.take(1000, 2);
    const left = key.report(1000, 2);
    key.take(1100, 3);
    key.give(1100, 2, 1000, left);
    expect(key.view(1100, 1).remaining).toBe(2);
  });
});

describe("fixed window, after a clock that stepped back", () => {
  it("gives nothing back to the window before", () => {
    const key = bareKey(policyOf({ algorithm, limit: 5, window: 100 }));
    key.take(1100, 2);
    const left = key.report(1100, 2);
    expect(key.take(1050, 5)).toBe(false);
    key.give(1050, 2, 1100, left);
    expect(key.view(1050, 1)).toMatchObject({ remaining: 3, retryAfter: 0, resetAfter: 50 });
    key.give(1050, 2, 1050, left);
    expect(key.view(1050, 1)).toMatchObject({ remaining: 5, resetAfter: 0 });
  });
});

describe("calendar window", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Pacific/Apia"];
  const units = ["day", "month"] as const;

  it.each<[string, string, string, number]>([
    ["a day of 23 hours", "Europe/Berlin", "2025-03-29T23:00Z", 23],
    ["a day of 25 hours", "America/New_York", "2024-11-03T04:00Z", 25],
    ["a day that begins at one", "America/Sao_Paulo", "2018-11-04T03:00Z", 23],
    ["the day before one that was left out", "Pacific/Apia", "2011-12-29T10:00Z", 24],
  ])("lasts %s in %s", (_name, timeZone, begin, hours) => {
    const key = bareKey(policyOf({ algorithm, limit: 1, window: "day", timeZone }));
    const start = Date.parse(begin);
    expect(key.take(start - 1, 1)).toBe(true);
    expect(key.take(start, 1)).toBe(true);
    expect(key.view(start, 1)).toMatchObject({ remaining: 0, retryAfter: hours * hour });
    expect(key.take(start + hours * hour - 1, 1)).toBe(false);
    expect(key.take(start + hours * hour, 1)).toBe(true);
  });

  it("keeps its promises to the millisecond in every zone, all year round", () => {
    const times = fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2026, 0) });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...units),
        times,
        (zone, unit, now) => {
          const key = bareKey(policyOf({ algorithm, limit: 2, window: unit, timeZone: zone }));
          expect(key.take(now, 2)).toBe(true);
          const { retryAfter, resetAfter } = key.view(now, 1);
          expect(resetAfter).toBe(retryAfter);
          expect(retryAfter).toBeLessThanOrEqual((unit === "day" ? 25 : 31 * 24 + 1) * hour);
          expect(key.expires(now)).toBe(now + retryAfter);
          expect(key.copy().take(now + retryAfter - 1, 1)).toBe(false);
          expect(key.copy().take(now + retryAfter, 2)).toBe(true);
        },
      ),
    );
  });

  it("decides by the edges around when the clock is not quite that of its process", () => {
    const policy = policyOf({ algorithm, limit: 1, window: "day" });
    const noon = Date.UTC(2024, 5, 1, 12);
    const params = policy.params(noon);
    const slots = [0, 0, 0, 0];
    for (const day of [-1, 0, 1]) {
      const now = noon + day * 24 * hour;
      expect(policy.algorithm.take(slots, now, 1, params)).toBe(true);
      expect(policy.algorithm.view(slots, now, 1, params).retryAfter).toBe(12 * hour);
    }
  });
});

function numbers() {
  return fc.record({
    limit: fc.integer({ min: 0, max: 9 }),
    window: fc.integer({ min: 1, max: 60 }),
  });
}

function requests() {
  return fc.array(
    fc.record({ after: fc.integer({ min: 0, max: 40 }), cost: fc.integer({ min: 0, max: 5 }) }),
    { maxLength: 40 },
  );
}
