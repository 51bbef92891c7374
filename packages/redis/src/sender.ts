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

/** The key names and times of a sender. */
export interface SenderOptions {
  readonly names: KeyNames;
  /** Milliseconds from sending to giving up. */
  readonly deadline: number;
  /** Used instead of the server's clock, if given. */
  readonly clock: Clock | undefined;
}

/** Sends operations to Redis. */
export interface Sender {
  /** Groups what waits into batches whose order does not matter, each with its script. Never throws. */
  batches<T extends WithOperation>(waiting: readonly T[]): readonly Batch<T>[];
  /**
   * Sends operations as one call of their batch's script, and resolves with the outcome of each. Rejects with a
   * `StoreError` after `patience` milliseconds at the latest, the deadline by default.
   */
  send(
    operations: readonly Operation[],
    slot: number,
    script: Script,
    patience?: number,
  ): Promise<NonNullable<Answer["outcomes"]>>;
  close(): void;
}

/** Creates the sender of a client. It queues nothing: a call is sent at once, or never. */
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
    // A client may keep a call whose connection broke, and send it again much later.
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
        // Such as a clock that fails: sending then fails by itself.
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
          // It was in time, but the estimate of the server's clock was wrong.
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
