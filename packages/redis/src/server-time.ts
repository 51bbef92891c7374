import { type Clock, systemClock } from "@spillway/core";

/** Estimates the server's time from its answers. */
export interface ServerTime {
  /** Returns the approximate server time. */
  now(): number;
  /**
   * Returns a server time that is at least `ms` ahead, as far as is known; before any answer, by this machine's clock.
   */
  within(ms: number): number;
  /** Records an answer's time. */
  seen(now: number): void;
}

/** Times from here (the year 10889) are garbage, for which no calendar has a window. */
const latest = 2 ** 48;

/** An answer counts in its minute, and in the next one that has any: a wrong clock is forgotten then. */
const minute = 60_000;

/**
 * Creates an estimate that begins with this machine's `clock`. Each server of a cluster has a clock: `within` goes by
 * the one furthest ahead of those that answered recently.
 */
export function serverTime(clock: Clock = systemClock): ServerTime {
  let ahead = 0;
  /** The furthest that answers were ahead, in the latest minute that had any and in the one before it. */
  let most = -Infinity;
  let mostBefore = -Infinity;
  let heard = 0;
  return {
    now: () => clock() + ahead,
    within(ms) {
      const known = Math.max(most, mostBefore);
      return clock() + (known === -Infinity ? 0 : known) + ms;
    },
    seen(now) {
      if (now >= latest) return;
      const here = clock();
      ahead = now - here;
      const current = Math.floor(here / minute);
      if (current !== heard) [heard, mostBefore, most] = [current, most, -Infinity];
      most = Math.max(most, ahead);
    },
  };
}
