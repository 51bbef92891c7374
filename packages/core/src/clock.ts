import { performance } from "node:perf_hooks";
import { ConfigError, received } from "./errors.ts";

/** Milliseconds since the epoch. */
export type Clock = () => number;

const origin = performance.timeOrigin;

/**
 * Reads the machine's clock: epoch milliseconds that never step back while the process lives, whatever is done to
 * the wall clock meanwhile, with what is left over of a millisecond. The only place that reads the machine.
 */
export const exactClock: Clock = () => origin + performance.now();

/** The same in whole milliseconds. */
export const systemClock: Clock = () => Math.floor(exactClock());

/**
 * Reads a user's clock, or the machine's where there is none, as whole milliseconds. Throws a `ConfigError`, at once
 * and at every reading, where the clock answers anything but a time: arithmetic upon that might never end.
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

/** The last millisecond that a number tells from its neighbours. */
const latest = 2 ** 53 - 1;
