import { systemClock } from "@spillway/core";

/** Tells the time on the server from what its answers told of it. */
export interface ServerTime {
  /** About the time there. */
  now(): number;
  /** A time that is not there yet in less than `ms`; 0 as long as nothing is known. */
  within(ms: number): number;
  /** Takes in an answer's time. */
  seen(now: number): void;
}

/** No server's time: garbage, of which no calendar knows a window. The year 10889. */
const latest = 2 ** 48;

/** Begins with this machine's time. The servers of a cluster have a clock each: the one most ahead counts. */
export function serverTime(): ServerTime {
  let ahead = 0;
  let most: number | undefined;
  return {
    now: () => systemClock() + ahead,
    within: (ms) => (most === undefined ? 0 : systemClock() + most + ms),
    seen(now) {
      if (now >= latest) return;
      ahead = now - systemClock();
      most = Math.max(most ?? ahead, ahead);
    },
  };
}
