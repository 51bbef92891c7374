import { type Clock, systemClock } from "@spillway/core";

/** The shortest time between two repairs at first and in the end, milliseconds; up to half of it is added by chance. */
const [shortest, longest] = [1000, 30_000];

/** Repairs something that keeps failing, now and then. */
export interface Repair {
  failed(): void;
}

/**
 * Runs `action` at a failure, but ever more rarely while failures go on, and never in step with other processes. After a
 * quiet time it begins anew: that something else works says nothing, since a replica answers whatever writes nothing.
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
