import { type Clock, StoreError, systemClock } from "@spillway/core";
import { type Answer, answerTo, callOf, type Wish } from "./call.ts";
import type { KeyNames } from "./key-names.ts";
import { patience } from "./patience.ts";
import { readinessOf } from "./readiness.ts";
import type { RedisPort } from "./redis-client.ts";
import { scriptRunner } from "./run-script.ts";

export interface SenderOptions {
  readonly names: KeyNames;
  /** Milliseconds from sending to giving up. */
  readonly deadline: number;
  /** Decides in place of the server's clock. */
  readonly clock: Clock | undefined;
}

/** Sends the wishes of one call, and resolves with what became of each; rejects with a `StoreError` in time. */
export interface Sender {
  send(wishes: readonly Wish[]): Promise<NonNullable<Answer["outcomes"]>>;
  close(): void;
}

/** How many calls may be unanswered past their deadline before no more are sent. */
const overdueMost = 64;

/** Makes the sender of a client. It queues nothing: a call goes out at once, or never. */
export function senderOf(port: RedisPort, { names, deadline, clock }: SenderOptions): Sender {
  const readiness = readinessOf(port);
  const run = scriptRunner(port);
  let overdue = 0;
  /** How far the server's clock is ahead of this process's: as seen last, and at the most. */
  let ahead = 0;
  let aheadMost: number | undefined;

  async function ask(wishes: readonly Wish[], isLate: () => boolean): Promise<Answer> {
    const local = systemClock();
    // a client may keep a call whose connection broke and send it again much later
    const until = clock || aheadMost === undefined ? 0 : local + aheadMost + 2 * deadline;
    const time = clock?.();
    const { keys, args } = callOf(wishes, names, time ?? local + ahead, until, time);
    let reply: unknown;
    try {
      reply = await run(keys, args);
    } finally {
      if (isLate()) overdue--;
    }
    const answer = answerTo(wishes, reply);
    ahead = answer.now - systemClock();
    aheadMost = Math.max(aheadMost ?? ahead, ahead);
    return answer;
  }

  return {
    send(wishes) {
      return new Promise((resolve, reject) => {
        let late = false;
        let asking = false;
        const stop = patience(deadline, () => {
          late = true;
          if (asking) overdue++;
          reject(new StoreError(`Redis did not answer within ${deadline} ms`));
        });

        async function attempt(): Promise<void> {
          if (late) return;
          if (overdue >= overdueMost) throw new StoreError(`Redis owes ${overdue} answers`);
          asking = true;
          let answer = await ask(wishes, () => late);
          // it was early, but the server's clock has been set forward
          if (!answer.outcomes && !late) answer = await ask(wishes, () => late);
          if (!answer.outcomes) throw new StoreError("Redis met the call too late");
          resolve(answer.outcomes);
        }

        const ready = readiness.whenReady();
        (ready === undefined ? attempt() : ready.then(attempt)).catch(reject).finally(stop);
      });
    },
    close: () => readiness.close(),
  };
}
