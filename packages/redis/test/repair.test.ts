import { manualClock } from "@spillway/core/testing";
import { expect, test } from "vitest";
import { repairBy } from "../src/client/repair.ts";

test("repairs at the first failure, then ever more rarely, and at once again after a quiet time", () => {
  const clock = manualClock();
  const times: number[] = [];
  const repair = repairBy(() => times.push(clock()), clock);
  for (let ms = 0; ms < 300_000; ms += 10) {
    repair.failed();
    clock.advance(10);
  }
  const waits = times.slice(1).map((time, i) => time - times[i]!);
  expect(waits.length).toBeGreaterThan(8);
  for (const [i, wait] of waits.entries()) {
    const shortest = Math.min(1000 * 2 ** i, 30_000);
    expect(wait).toBeGreaterThanOrEqual(shortest);
    expect(wait).toBeLessThanOrEqual(1.5 * shortest + 10);
  }

  clock.advance(30_000);
  times.length = 0;
  for (let ms = 0; ms < 1510; ms += 10) {
    repair.failed();
    clock.advance(10);
  }
  expect(times).toHaveLength(2);
});
