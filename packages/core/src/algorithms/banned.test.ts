import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { banOf } from "../policies/ban.ts";
import { algorithms, banningAlgorithms } from "./index.ts";

const start = 1_700_000_000_000;
const fixed = { algorithm: "fixed-window", align: "first-request", limit: 1, window: 10 } as const;

type Row = readonly [at: number, fits: boolean, retryAfter: number, blocked: boolean];

describe("banned", () => {
  it.each<[string, Parameters<typeof banOf>[0], readonly Row[]]>([
    [
      "blocks after so many refusals, and longer each time",
      { after: 2, within: 10, for: 20, factor: 2, ceiling: 70 },
      [
        [0, true, 10, false],
        [1, false, 9, false],
        [2, false, 20, true],
        [21, false, 1, true],
        [22, true, 10, false],
        [23, false, 9, false],
        [24, false, 40, true],
        [64, true, 10, false],
        [64, false, 10, false],
        [64, false, 70, true],
        [134, true, 10, false],
        [134, false, 10, false],
        [134, false, 70, true],
      ],
    ],
    [
      "counts within a period that the first refusal begins",
      { after: 2, within: 5, for: 20 },
      [
        [0, true, 10, false],
        [1, false, 9, false],
        [6, false, 4, false],
        [10, true, 10, false],
        [11, false, 9, false],
        [15, false, 20, true],
      ],
    ],
    [
      "forgets a level after as long as the ban lasted",
      { within: 1, for: 20, factor: 2 },
      [
        [0, true, 10, false],
        [0, false, 20, true],
        [39, true, 10, false],
        [39, false, 40, true],
        [119, true, 10, false],
        [119, false, 20, true],
      ],
    ],
    [
      "begins the next ban whenever it is tried, where that extends",
      { for: 20, factor: 2, ceiling: 50, extend: true },
      [
        [0, true, 10, false],
        [0, false, 20, true],
        [19, false, 40, true],
        [58, false, 50, true],
        [107, false, 50, true],
        [157, true, 10, false],
      ],
    ],
  ])("%s", (_, ban, rows) => {
    const key = bareKey(policyOf({ ...fixed, ban: banOf(ban) }));
    const told = rows.map(([at]) => {
      const fits = key.take(start + at, 1);
      const { retryAfter, blocked = false } = key.view(start + at, 1);
      return [at, fits, retryAfter, blocked];
    });
    expect(told).toEqual(rows);
  });

  it("shortens a running ban where a longer one is not allowed any more, and goes on from there", () => {
    const long = policyOf({ ...fixed, ban: banOf({ for: 1000 }) });
    const key = bareKey(long);
    for (let i = 0; i < 2; i++) key.take(start, 1);
    key.policy = policyOf({ ...fixed, ban: banOf({ for: 20, factor: 2, ceiling: 80 }) });
    expect(key.view(start + 30, 1)).toMatchObject({ blocked: true, retryAfter: 50 });
    expect(key.take(start + 80, 1)).toBe(true);
    expect(key.take(start + 80, 1)).toBe(false);
    expect(key.view(start + 80, 1).retryAfter).toBe(80);
  });

  it("keeps the params of every algorithm where they are, and its slots", () => {
    for (const name of Object.keys(algorithms) as (keyof typeof algorithms)[]) {
      const settings = { limit: 5, window: 100, algorithm: name, segments: 1 } as const;
      const plain = policyOf(settings);
      const policy = policyOf({ ...settings, ban: banOf({ for: 20 }) });
      const [bare, params] = [plain.params(0), policy.params(0)];
      expect(bare.length).toBeLessThanOrEqual(8);
      expect(params.slice(0, bare.length)).toEqual(bare);
      expect(policy.algorithm).toBe(banningAlgorithms[name]);
      expect(policy.algorithm.slots(params)).toBe(plain.algorithm.slots(bare) + 5);
      const own = ["time", "shape", "count", "time", "count"];
      const layout = plain.algorithm.layout(bare);
      expect(policy.algorithm.layout(params)).toEqual(
        layout.includes("ring") ? [...own, ...layout] : [...layout, ...own],
      );
      expect(policy.kind).toBe(`ban+${plain.kind}`);
    }
    const edges = policyOf({
      algorithm: "fixed-window",
      limit: 5,
      window: "day",
      ban: banOf({ for: 20 }),
    }).params(start);
    expect(edges.slice(4, 8).every((edge) => edge > 0)).toBe(true);
  });
});
