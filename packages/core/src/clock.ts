import { performance } from "node:perf_hooks";
import { ConfigError, received } from "./errors.ts";

/** Milliseconds since the epoch, whole. */
export type Clock = () => number;

const origin = performance.timeOrigin;

/**
 * Reads the machine's clock: epoch milliseconds that never step back while the process lives, whatever is done to
 * the wall clock meanwhile. The only place that reads the machine.
 */
export const systemClock: Clock = () => Math.floor(exactClock());

/** The same, with what is left over of a millisecond. */
export const exactClock: Clock = () => origin + performance.now();

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
