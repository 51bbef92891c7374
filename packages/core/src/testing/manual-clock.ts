import type { Clock } from "../clock.ts";
import { type Duration, parseDuration } from "../duration.ts";
import { ConfigError, received } from "../errors.ts";

/**
 * A clock that moves only when told. Throws a `ConfigError` for anything but a time, which would make tests pass by
 * mistake.
 */
export interface ManualClock extends Clock {
  /** Sets the time in epoch milliseconds; it may go back. */
  set(now: number): void;
  /** Moves the time by milliseconds (negative: back) or by a string such as `"1m"`. */
  advance(by: Duration): void;
}

/** Creates a clock that stands at `start`, by default 2023-11-15 00:00:00 UTC: the start of a minute, hour and day. */
export function manualClock(start = 1_700_006_400_000): ManualClock {
  let now = timeOf("start", start);
  return Object.assign(() => now, {
    set(time: number) {
      now = timeOf("now", time);
    },
    advance(by: Duration) {
      now += timeOf("by", typeof by === "string" ? parseDuration(by) : by, by);
    },
  });
}

function timeOf(path: string, value: unknown, given: unknown = value): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const expected = path === "by" ? 'milliseconds, or a string like "1m"' : "epoch milliseconds";
  throw new ConfigError([{ path, expected, received: received(given) }]);
}
