import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "./retry-after.ts";

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
