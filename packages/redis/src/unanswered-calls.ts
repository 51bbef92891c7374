import { type Clock, StoreError, systemClock } from "@spillway/core";
import { isReply, isTimeout } from "./client/run-script.ts";

/** Keeps count of the answers that Redis owes: what lies between here and one that gives none stays bounded. */
export interface UnansweredCalls {
  /** Throws a `StoreError` where too many are owed for the same slots, by their 64th part. */
  check(part: number): void;
  /** Notes a call that is sent. */
  sent(part: number): UnansweredCall;
}

/** The answer to one call. */
export interface UnansweredCall {
  /** Nobody waits for it any more. */
  overdue(): void;
  /** The call has ended: it was answered, or failed of this. */
  ended(error?: unknown): void;
}

/** How many calls to the same slots may be unanswered past their deadline before no more are sent there. */
const maxUnanswered = 64;
/** After so many milliseconds without any answer, and at least ten deadlines, a connection is given up. */
const maxSilence = 1000;

/**
 * Makes one. `silent` is called where a call would be too much and nothing was heard for long.
 *
 * A call that its client gave up by a patience of its own (`commandTimeout` of ioredis) is still on its way, and what
 * comes of it is not told. It counts as owed until something else is answered for the same slots, as answers come in
 * order; since only another call can tell, one is let through now and then.
 */
export function unansweredCalls(
  deadline: number,
  silent: () => void,
  clock: Clock = systemClock,
): UnansweredCalls {
  /** Calls past their deadline, and those that their client gave up, by part, so that a lost master stops only its own. */
  const overdue = new Uint32Array(64);
  const givenUp = new Uint32Array(64);
  /** When a part that holds such may be tried again. */
  const next = new Float64Array(64);
  /** When Redis answered last; when it was asked, where it owed nothing before. */
  let heard = 0;
  let unanswered = 0;

  function hear(part: number): void {
    heard = clock();
    unanswered -= givenUp[part]!;
    givenUp[part] = 0;
  }

  return {
    check(part) {
      const count = overdue[part]! + givenUp[part]!;
      if (count < maxUnanswered) return;
      const now = clock();
      if (now - heard > Math.max(maxSilence, 10 * deadline)) silent();
      if (overdue[part]! < maxUnanswered && now >= next[part]!) {
        next[part] = now + maxSilence;
        return;
      }
      throw new StoreError(
        `Redis has not answered ${count} calls past their deadline; no more are sent until it does`,
      );
    },

    sent(part) {
      if (unanswered++ === 0) heard = clock();
      let isOverdue = false;
      return {
        overdue() {
          isOverdue = true;
          overdue[part]!++;
        },
        ended(error) {
          if (isOverdue) overdue[part]!--;
          if (isTimeout(error)) {
            givenUp[part]!++;
            next[part] = clock() + maxSilence;
            return;
          }
          unanswered--;
          if (error === undefined || isReply(error)) hear(part);
        },
      };
    },
  };
}
