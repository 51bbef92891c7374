import { type Clock, StoreError } from "@spillway/core";
import { type Answer, answerTo } from "./answer.ts";
import { callOf } from "./call.ts";
import { readinessOf } from "./client/readiness.ts";
import type { RedisPort } from "./client/redis-port.ts";
import { repairBy } from "./client/repair.ts";
import { isReplica, messageOf, runScript } from "./client/run-script.ts";
import type { KeyNames } from "./key-names.ts";
import { type Kind, kindsOf, type WithWish } from "./kinds.ts";
import { type OwedAnswer, owedAnswers } from "./owed-answers.ts";
import { alikeScripts } from "./script/alike-scripts.ts";
import { anyScript } from "./script/any-script.ts";
import type { Script } from "./script/script.ts";
import { serverTime } from "./server-time.ts";
import { timeout } from "./timeout.ts";
import type { Wish } from "./wish.ts";

export interface SenderOptions {
  readonly names: KeyNames;
  /** Milliseconds from sending to giving up. */
  readonly deadline: number;
  /** Decides in place of the server's clock. */
  readonly clock: Clock | undefined;
}

export interface Sender {
  /**
   * Parts what waits into kinds whose order is nobody's, and finds the script of each. Never throws.
   */
  kinds<T extends WithWish>(waiting: readonly T[]): readonly Kind<T>[];
  /**
   * Sends the wishes of one call of the script of their kind, and resolves with what became of each; rejects with a
   * `StoreError` in time, which is less than usual where it is said.
   */
  send(
    wishes: readonly Wish[],
    slot: number,
    script: Script,
    patience?: number,
  ): Promise<NonNullable<Answer["outcomes"]>>;
  close(): void;
}

/** Makes the sender of a client. It queues nothing: a call goes out at once, or never. */
export function senderOf(port: RedisPort, { names, deadline, clock }: SenderOptions): Sender {
  const readiness = readinessOf(port);
  const repair = repairBy(() => port.reconnect());
  const time = serverTime();
  const scripts = alikeScripts();
  const owed = owedAnswers(deadline, repair.failed);

  async function ask(
    wishes: readonly Wish[],
    script: Script,
    sent: () => OwedAnswer,
  ): Promise<Answer> {
    const told = clock?.();
    // a client may keep a call whose connection broke and send it again much later
    const last = clock ? 0 : time.within(2 * deadline);
    const times = { now: told ?? time.now(), last, clock: told };
    const { keys, args } = callOf(wishes, names, script, times);
    const owing = sent();
    let reply: unknown;
    try {
      reply = await runScript(port, script, keys, args);
    } catch (error) {
      owing.ended(error);
      if (isReplica(error)) repair.failed();
      throw error;
    }
    owing.ended();
    const answer = answerTo(wishes, reply, script);
    if (answer.outcomes?.some(isReplica)) repair.failed();
    if (!clock) time.seen(answer.now);
    return answer;
  }

  return {
    kinds(waiting) {
      try {
        return kindsOf(waiting, scripts, clock?.() ?? time.now());
      } catch {
        // A clock that fails, say: what is sent fails of it by itself.
        return [{ waiting, script: anyScript }];
      }
    },

    send(wishes, slot, script, patience = deadline) {
      const part = slot >> 8;
      return new Promise((resolve, reject) => {
        let late = false;
        let owing: OwedAnswer | undefined;
        let leave = (): void => {};
        const stop = timeout(patience, () => {
          late = true;
          leave();
          owing?.overdue();
          const why = owing ? undefined : readiness.why();
          const told = why === undefined ? "" : `: ${messageOf(why)}`;
          reject(new StoreError(`Redis did not answer within ${deadline} ms${told}`, why));
        });

        function sent(): OwedAnswer {
          owing = owed.sent(part);
          return owing;
        }

        async function attempt(): Promise<void> {
          if (late) return;
          owed.check(part);
          let answer = await ask(wishes, script, sent);
          // it was in time, but the server's clock is not what it was taken for
          if (!answer.outcomes && !late) answer = await ask(wishes, script, sent);
          if (!answer.outcomes)
            throw new StoreError("Redis received the call after its deadline and did nothing");
          resolve(answer.outcomes);
        }

        leave = readiness.whenReady(
          () => void attempt().catch(reject).finally(stop),
          (error) => {
            stop();
            reject(error);
          },
        );
      });
    },
    close: () => readiness.close(),
  };
}
