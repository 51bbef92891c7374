import { describe, expect, it, test } from "vitest";
import { type Demand, expectedUse, isIdle, noteUse } from "./demand.ts";

const period = 1000;

/** Returns what is known of a key that used so many units at these times, in this order. */
function after(...uses: readonly Readonly<Record<number, number>>[]): Demand {
  const demand: Demand = { since: 5000, used: 0, usedBefore: 0 };
  for (const [at, units] of uses.flatMap(Object.entries<number>)) {
    noteUse(demand, units, Number(at), period);
  }
  return demand;
}

describe("the use that is expected of a key", () => {
  test.each([
    ["nothing of a new one", {}, 5000, 0],
    ["as much as in this period so far", { 5000: 3, 5999: 4 }, 5999, 7],
    ["as much as in the one before, if that is more", { 5000: 9, 6000: 4 }, 6500, 9],
    ["as much as in this one, if that is more", { 5000: 4, 6000: 9 }, 6500, 9],
    ["as much as in the last one, once that is over", { 5000: 9, 6000: 4 }, 7000, 4],
    ["nothing of two periods ago", { 5000: 9, 6000: 4, 7000: 1 }, 7000, 4],
    ["what was used before a pause", { 5000: 9, 6999: 4 }, 6999, 9],
    ["nothing of before a pause of two periods", { 5000: 9, 7000: 4 }, 7000, 4],
    ["nothing after two periods without use", { 5000: 9 }, 7000, 0],
    ["nothing while the clock is behind", { 5000: 9 }, 4999, 0],
  ])("is %s", (_, uses, at, units) => {
    expect(expectedUse(after(uses), at, period)).toBe(units);
  });

  it("is only what follows, once the clock has stepped back", () => {
    const demand = after({ 5000: 9 }, { 4000: 2 });
    expect(expectedUse(demand, 4000, period)).toBe(2);
    expect(expectedUse(demand, 5000, period)).toBe(2);
  });
});

describe("a key", () => {
  it.each([
    [5000, false],
    [6999, false],
    [7000, true],
    [4999, true],
  ])("that was first used at 5000 is idle at %i: %s", (at, idle) => {
    expect(isIdle(after({ 5000: 1 }), at, period)).toBe(idle);
  });

  it("starts a period with the first use after the last one", () => {
    expect(after({ 5000: 1, 6200: 1, 7100: 2 })).toEqual({ since: 6200, used: 3, usedBefore: 1 });
  });
});
