import { performance } from "node:perf_hooks";
import { ConfigError, received } from "./errors.ts";

/** Returns milliseconds since the epoch. */
export type Clock = () => number;

const origin = performance.timeOrigin;

/**
 * Reads the machine's clock: epoch milliseconds with fractions, never stepping back while the process lives, whatever
 * happens to the wall clock. The only place that reads the machine.
 */
export const exactClock: Clock = () => origin + performance.now();

/** Reads the same clock in whole milliseconds. */
export const systemClock: Clock = () => Math.floor(exactClock());

/**
 * Returns a user's clock, or the machine's if undefined, in whole milliseconds. Throws a `ConfigError`, at once and at
 * every reading, if the clock returns anything but a time: arithmetic on that might never end.
 */
export function wholeClock(clock: Clock | undefined): Clock {
  if (clock === undefined || clock === systemClock) return systemClock;
  const whole = (): number => {
    const now: unknown = clock();
    if (typeof now === "number" && now >= 0 && now <= latest) return Math.floor(now);
    const expected = "a function that answers milliseconds since the epoch";
    throw new ConfigError([
      { path: "clock", expected, received: `one that answers ${received(now)}` },
    ]);
  };
  whole();
  return whole;
}

/** The last millisecond that a number distinguishes from its neighbours. */
const latest = 2 ** 53 - 1;
