import { type Clock, exactClock, wholeClock } from "../clock.ts";
import type { Policy } from "../policy.ts";

/** When a store answered: on its own clock, and on the local one before the call and after the answer. */
export interface Answered {
  readonly now: number;
  readonly asked: number;
  readonly heard: number;
}

/** The largest relative difference in speed of two clocks. */
const drift = 0.001;
/** Up to so many milliseconds the difference is within rounding. */
const close = 1 / drift;

/** Returns a user's clock, or the machine's, to measure the time since an answer: that one is not rounded. */
export function elapsedClock(given: Clock | undefined): Clock {
  return given === undefined ? exactClock : wholeClock(given);
}

/**
 * Returns the latest possible time on the store's clock: it answered after it was asked. Both may be rounded down to
 * milliseconds.
 */
export function latest({ now, asked }: Answered, local: number): number {
  return now + Math.ceil((local - asked) * (1 + drift)) + 2;
}

/** Returns the earliest possible time on the store's clock, so that waits derived from it are not too short. */
export function earliest({ now, heard }: Answered, local: number): number {
  const passed = Math.max(0, local - heard);
  return now + Math.floor(passed - Math.max(0, passed - close) * drift);
}

/** Whether an answer is younger than `maxAge` milliseconds; false if the local clock has stepped back. */
export function isRecent({ asked }: Answered, local: number, maxAge: number): boolean {
  return local >= asked && local - asked < maxAge;
}

/** Whether a cost fits by a state that a store reported, at a time on its clock. */
export function fitsBy(
  state: readonly number[],
  { algorithm, params }: Policy,
  cost: number,
  now: number,
): boolean {
  return algorithm.view(state, now, cost, params(now)).retryAfter === 0;
}
