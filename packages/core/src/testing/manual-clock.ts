import type { Clock } from "../clock.ts";

/** A clock that moves only when told. */
export interface ManualClock extends Clock {
  /** Sets the time, epoch milliseconds; it may go back. */
  set(now: number): void;
  /** Moves the time by whole milliseconds; negative steps back. */
  advance(ms: number): void;
}

/** Makes a clock that stands at `start`, by default 2023-11-15 00:00:00 UTC: a full minute, hour and day. */
export function manualClock(start = 1_700_006_400_000): ManualClock {
  let now = start;
  return Object.assign(() => now, {
    set(time: number) {
      now = time;
    },
    advance(ms: number) {
      now += ms;
    },
  });
}
