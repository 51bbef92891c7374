import type { Limiter } from "../limiter.ts";
import { assert } from "./assert.ts";
import type { ManualClock } from "./manual-clock.ts";

/**
 * One request: milliseconds from the first row's zero, its cost, whether it fits, and the decision's values. Omitted or
 * undefined values may be anything.
 */
export type Row = readonly [
  at: number,
  cost: number,
  fits: boolean,
  remaining?: number | undefined,
  retryAfter?: number | undefined,
  resetAfter?: number | undefined,
];

/**
 * Checks one key of a limiter row by row, in order, on its store's clock. Zero is the clock's time when called. Rejects
 * with an `AssertionError` naming the row.
 */
export async function rows(
  limiter: Limiter,
  clock: ManualClock,
  table: readonly Row[],
  key = "key",
): Promise<void> {
  const zero = clock();
  for (const [index, row] of table.entries()) {
    const [at, cost, fits, remaining, retryAfter, resetAfter] = row;
    clock.set(zero + at);
    const decision = await limiter.check(key, { cost });
    const expected = { fits, remaining, retryAfter, resetAfter };
    const told = {
      fits: decision.allowed,
      remaining: remaining === undefined ? undefined : decision.remaining,
      retryAfter: retryAfter === undefined ? undefined : decision.retryAfter,
      resetAfter: resetAfter === undefined ? undefined : decision.resetAfter,
    };
    assert.deepEqual(told, expected, `row ${index + 1}: ${cost} at ${at} ms`);
  }
}
