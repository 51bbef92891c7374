import { type Clock, systemClock } from "@spillway/core";

/** The shortest and the longest time between two repairs, milliseconds. */
const [shortest, longest] = [1000, 30_000];

/** Repairs something that keeps failing, now and then. */
export interface Repair {
  failed(): void;
  worked(): void;
}

/** Runs `action` at a failure, but ever more rarely while failures go on, and never in step with other processes. */
export function repairBy(action: () => void, clock: Clock = systemClock): Repair {
  let wait = shortest;
  let next = 0;
  return {
    failed() {
      const now = clock();
      if (now < next) return;
      next = now + wait * (0.5 + Math.random() / 2);
      wait = Math.min(2 * wait, longest);
      action();
    },
    worked() {
      wait = shortest;
    },
  };
}
