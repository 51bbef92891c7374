import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RetryAfterRule, retryAfterSeconds, retryAfterText } from "./retry-after.ts";

describe("retryAfterSeconds", () => {
  it.each([
    [58_000, 58],
    [57_001, 58],
    [1500, 2],
    [1001, 2],
    [1000, 1],
    [999, 1],
    [400, 1],
    [1, 1],
    [0, 1],
    [-2, 1],
    [59_999, 60],
    [2_147_483_000, 2_147_483],
    [2_147_483_001, 2_147_483],
    [1e15, 2_147_483],
    [Number.MAX_VALUE, 2_147_483],
    [Number.NEGATIVE_INFINITY, 1],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NaN, undefined],
  ])("tells a wait of %d ms as %s s", (wait, seconds) => {
    expect(retryAfterSeconds(wait)).toBe(seconds);
  });

  it("is never too early, nor a second too late, below its cap", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_147_483_000 }), (wait) => {
        const seconds = retryAfterSeconds(wait)!;
        expect(seconds * 1000).toBeGreaterThanOrEqual(wait);
        expect((seconds - 1) * 1000).toBeLessThan(wait);
      }),
    );
  });
});

describe("retryAfterText", () => {
  it.each<[wait: number, rule: RetryAfterRule | undefined, text: string | undefined]>([
    [64_570, undefined, "65"],
    [64_570, { decimals: 0 }, "65"],
    [64_570, { decimals: 1 }, "64.6"],
    [64_570, { decimals: 2 }, "64.57"],
    [2000, { decimals: 1 }, "2.0"],
    [1, { decimals: 1 }, "0.1"],
    [0, { decimals: 1 }, "0.1"],
    [0, { decimals: 3 }, "0.001"],
    [0, undefined, "1"],
    [1e15, undefined, "2147483"],
    [1e15, { decimals: 1 }, "2147483.0"],
    [64_570, false, undefined],
    [Number.POSITIVE_INFINITY, undefined, undefined],
    [Number.POSITIVE_INFINITY, { decimals: 1 }, undefined],
    [Number.NaN, { decimals: 1 }, undefined],
  ])("tells a wait of %d ms by %j as %s", (wait, rule, text) => {
    expect(retryAfterText(wait, rule)).toBe(text);
  });

  it("is never too early, below its cap", () => {
    const decimals = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_147_483_000 }), decimals, (wait, decimals) => {
        const told = Math.round(Number(retryAfterText(wait, { decimals })) * 1000);
        expect(told).toBeGreaterThanOrEqual(wait);
        expect(told - wait).toBeLessThan(10 ** (3 - decimals));
      }),
    );
  });
});
