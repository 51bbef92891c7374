import { type Clock, StoreError } from "@spillway/core";
import { type Answer, answerTo } from "./answer.ts";
import { type Batch, batchesOf, type WithOperation } from "./batches.ts";
import { callOf } from "./call.ts";
import { readinessOf } from "./client/readiness.ts";
import type { RedisPort } from "./client/redis-port.ts";
import { repairBy } from "./client/repair.ts";
import { isReplica, messageOf, runScript } from "./client/run-script.ts";
import type { KeyNames } from "./key-names.ts";
import type { Operation } from "./operation.ts";
import { alikeScripts } from "./script/alike-scripts.ts";
import { anyScript } from "./script/any-script.ts";
import type { Script } from "./script/script.ts";
import { serverTime } from "./server-time.ts";
import { timeout } from "./timeout.ts";
import { type UnansweredCall, unansweredCalls } from "./unanswered-calls.ts";

export interface SenderOptions {
  readonly names: KeyNames;
  /** Milliseconds from sending to giving up. */
  readonly deadline: number;
  /** Decides in place of the server's clock. */
  readonly clock: Clock | undefined;
}

export interface Sender {
  /**
   * Parts what waits into batches whose order does not matter, and finds the script of each. Never throws.
   */
  batches<T extends WithOperation>(waiting: readonly T[]): readonly Batch<T>[];
  /**
   * Sends the operations of one call of the script of their batch, and resolves with what became of each; rejects with a
   * `StoreError` in time, which is less than usual where it is said.
   */
  send(
    operations: readonly Operation[],
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
  const unanswered = unansweredCalls(deadline, repair.failed);

  async function ask(
    operations: readonly Operation[],
    script: Script,
    sent: () => UnansweredCall,
  ): Promise<Answer> {
    const told = clock?.();
    // a client may keep a call whose connection broke and send it again much later
    const last = clock ? 0 : time.within(2 * deadline);
    const times = { now: told ?? time.now(), last, clock: told };
    const { keys, args } = callOf(operations, names, script, times);
    const pending = sent();
    let reply: unknown;
    try {
      reply = await runScript(port, script, keys, args);
    } catch (error) {
      pending.ended(error);
      if (isReplica(error)) repair.failed();
      throw error;
    }
    pending.ended();
    const answer = answerTo(operations, reply, script);
    if (answer.outcomes?.some(isReplica)) repair.failed();
    if (!clock) time.seen(answer.now);
    return answer;
  }

  return {
    batches(waiting) {
      try {
        return batchesOf(waiting, scripts, clock?.() ?? time.now());
      } catch {
        // A clock that fails, say: what is sent fails of it by itself.
        return [{ waiting, script: anyScript }];
      }
    },

    send(operations, slot, script, patience = deadline) {
      const part = slot >> 8;
      return new Promise((resolve, reject) => {
        let late = false;
        let pending: UnansweredCall | undefined;
        let leave = (): void => {};
        const stop = timeout(patience, () => {
          late = true;
          leave();
          pending?.overdue();
          const why = pending ? undefined : readiness.why();
          const told = why === undefined ? "" : `: ${messageOf(why)}`;
          reject(new StoreError(`Redis did not answer within ${deadline} ms${told}`, why));
        });

        function sent(): UnansweredCall {
          pending = unanswered.sent(part);
          return pending;
        }

        async function attempt(): Promise<void> {
          if (late) return;
          unanswered.check(part);
          let answer = await ask(operations, script, sent);
          // it was in time, but the server's clock is not what it was taken for
          if (!answer.outcomes && !late) answer = await ask(operations, script, sent);
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
