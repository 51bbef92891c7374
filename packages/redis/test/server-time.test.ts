import { manualClock } from "@spillway/core/testing";
import { expect, test } from "vitest";
import { serverTime } from "../src/server-time.ts";

/**
 * `[at, told, until]`: an answer, if there is one, and what is within 200 ms then; all after the start, milliseconds.
 */
type Row = readonly [at: number, told: number | undefined, until: number];

const start = 1_700_006_400_000;
const day = 86_400_000;

test.each<[string, readonly Row[]]>([
  [
    "is this machine's before the first answer",
    [
      [0, undefined, 200],
      [100, 100, 300],
      [5000, undefined, 5200],
    ],
  ],
  [
    "is that of the clock most ahead, of several",
    [
      [0, 50, 250],
      [10, -40, 260],
      [59_000, 59_020, 59_250],
      [61_000, 60_960, 61_250],
      [119_000, 119_000, 119_250],
    ],
  ],
  [
    "forgets a clock that was a day ahead, a minute or two after the last answer by it",
    [
      [0, day, day + 200],
      [1000, 1000, day + 1200],
      [60_000, 60_000, day + 60_200],
      [119_999, 119_999, day + 120_199],
      [120_000, 120_000, 120_200],
    ],
  ],
  [
    "forgets it also where Redis was not asked for long",
    [
      [0, day, day + 200],
      [3_600_000, undefined, day + 3_600_200],
      [3_600_000, 3_600_000, day + 3_600_200],
      [3_660_000, 3_660_000, 3_660_200],
    ],
  ],
  [
    "follows a clock that is set forward at once",
    [
      [0, 0, 200],
      [1000, day, day + 200],
    ],
  ],
  [
    "takes in no answer that tells no time",
    [
      [0, 0, 200],
      [10, 9e15, 210],
    ],
  ],
])("the time on the server %s", (_, rows) => {
  const clock = manualClock(start);
  const time = serverTime(clock);
  for (const [at, told, until] of rows) {
    clock.set(start + at);
    if (told !== undefined) time.seen(start + told);
    expect(time.within(200)).toBe(start + until);
  }
});
