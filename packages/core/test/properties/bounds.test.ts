import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { histories, live } from "./history.ts";
import { type Passed, specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe.each(specimens)("$name", (specimen) => {
  it("lets no more pass in any window than it promises", () => {
    fc.assert(
      fc.property(histories(specimen), (history) => {
        const passed = passedIn(history);
        const { policy } = history;
        for (const { at: last } of passed) {
          const bound = specimen.bound(policy, passed, last);
          expect(within(passed, last - policy.window, last)).toBeLessThanOrEqual(bound);
        }
      }),
      { numRuns: 300 },
    );
  });

  // Windows aligned to the clock start over whenever it crosses an edge.
  const grid = specimen.name === "fixed-window by clock";
  it.skipIf(grid)("lets no more than twice as much pass where the clock steps back", () => {
    fc.assert(
      fc.property(histories(specimen, { back: true }), (history) => {
        const { policy } = history;
        const passed = passedIn(history);
        for (const { at: last } of passed) {
          const most = 2 * Math.max(policy.limit, specimen.most(policy));
          expect(within(passed, last - policy.window, last)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 300 },
    );
  });

  /** Returns what passed, at times that only advance, as by a watch beside the clock. */
  function passedIn(history: Parameters<typeof live>[1]): Passed[] {
    const passed: Passed[] = [];
    let elapsed = 0;
    let step = 0;
    live(specimen, history, ({ cost, fits }) => {
      elapsed += Math.max(0, history.steps[step++]!.moved);
      if (fits && cost > 0) passed.push({ at: history.start + elapsed, cost });
    });
    return passed;
  }
});

function within(passed: readonly Passed[], after: number, last: number): number {
  let sum = 0;
  for (const { at, cost } of passed) if (at > after && at <= last) sum += cost;
  return sum;
}
