import { type Clock, StoreError, systemClock } from "@spillway/core";
import { isReply, isTimeout } from "./client/run-script.ts";

/** Counts the calls that Redis has not answered, to bound what is in flight to a server that never answers. */
export interface UnansweredCalls {
  /** Throws a `StoreError` if too many calls to the same 64th `part` of the slots are unanswered. */
  check(part: number): void;
  /** Records a call that is sent. */
  sent(part: number): UnansweredCall;
}

/** A call whose answer is awaited. */
export interface UnansweredCall {
  /** Records that its deadline passed. */
  overdue(): void;
  /** Records that the call was answered, or failed with this error. */
  ended(error?: unknown): void;
}

/** How many calls to the same slots may be unanswered past their deadline before no more are sent. */
const maxUnanswered = 64;
/** Milliseconds without any answer, and at least ten deadlines, after which a connection is given up. */
const maxSilence = 1000;

/**
 * Creates a count. `silent` is called when a call is one too many and nothing was received for long.
 *
 * A call that the client gave up by its own timeout (`commandTimeout` of ioredis) is still on its way, and its outcome
 * stays unknown. It counts as unanswered until another call to the same slots is answered, as answers come in order;
 * since only another call can tell, one is let through from time to time.
 */
export function unansweredCalls(
  deadline: number,
  silent: () => void,
  clock: Clock = systemClock,
): UnansweredCalls {
  /** Calls past their deadline, and calls the client gave up, by part, so that a lost master stops only its own. */
  const overdue = new Uint32Array(64);
  const givenUp = new Uint32Array(64);
  /** When a part with calls given up may be tried again. */
  const next = new Float64Array(64);
  /** When Redis last answered, or was asked while nothing was unanswered. */
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
