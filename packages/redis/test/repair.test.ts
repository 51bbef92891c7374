import { manualClock } from "@spillway/core/testing";
import { expect, test } from "vitest";
import { repairBy } from "../src/repair.ts";

test("repairs at the first failure, then ever more rarely, and at once again after it worked", () => {
  const clock = manualClock();
  const times: number[] = [];
  const repair = repairBy(() => times.push(clock()), clock);
  for (let ms = 0; ms < 300_000; ms += 10) {
    repair.failed();
    clock.advance(10);
  }
  const waits = times.slice(1).map((time, i) => time - times[i]!);
  expect(waits.length).toBeGreaterThan(10);
  for (const [i, wait] of waits.entries()) {
    const longest = Math.min(1000 * 2 ** i, 30_000);
    expect(wait).toBeGreaterThanOrEqual(longest / 2);
    expect(wait).toBeLessThanOrEqual(longest + 10);
  }

  clock.advance(30_000);
  repair.worked();
  times.length = 0;
  for (let ms = 0; ms < 1010; ms += 10) {
    repair.failed();
    clock.advance(10);
  }
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(times.length).toBeLessThanOrEqual(3);
});
