import { type Clock, systemClock } from "@spillway/core";

/** The least time between two repairs, at first and in the end, milliseconds; up to half of it is added at random. */
const [shortest, longest] = [1000, 30_000];

/** Repairs something that keeps failing, from time to time. */
export interface Repair {
  failed(): void;
}

/**
 * Runs `action` on a failure, ever more rarely while failures continue, and never in step with other processes. Starts
 * over after a quiet time. Successes do not count, since a replica answers everything that writes nothing.
 */
export function repairBy(action: () => void, clock: Clock = systemClock): Repair {
  let wait = shortest;
  let next = 0;
  let latest = 0;
  return {
    failed() {
      const now = clock();
      if (now - latest >= longest) [wait, next] = [shortest, now];
      latest = now;
      if (now < next) return;
      next = now + wait * (1 + Math.random() / 2);
      wait = Math.min(2 * wait, longest);
      action();
    },
  };
}
