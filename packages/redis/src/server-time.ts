import { type Clock, systemClock } from "@spillway/core";

/** Tells the time on the server from what its answers told of it. */
export interface ServerTime {
  /** About the time there. */
  now(): number;
  /** A time that is not there yet in less than `ms`: as far as is known, before any answer by this machine's clock. */
  within(ms: number): number;
  /** Takes in an answer's time. */
  seen(now: number): void;
}

/** No server's time: garbage, of which no calendar knows a window. The year 10889. */
const latest = 2 ** 48;

/** An answer counts in its minute, and in the next one that has any: a clock that was wrong is forgotten then. */
const minute = 60_000;

/**
 * Begins with the time of `clock`, this machine's. The servers of a cluster have a clock each: of those that answered
 * of late the one most ahead counts.
 */
export function serverTime(clock: Clock = systemClock): ServerTime {
  let ahead = 0;
  /** The most that answers were ahead, in the latest minute that had any and in the one before it. */
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
