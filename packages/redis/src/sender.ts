import { type Clock, StoreError } from "@spillway/core";
import { type Answer, answerTo } from "./answer.ts";
import { type Batch, batchesOf, type WithOperation } from "./batches.ts";
import { callOf } from "./call.ts";
import { readinessOf } from "./client/readiness.ts";
import type { RedisPort } from "./client/redis-port.ts";
import { repairBy } from "./client/repair.ts";
import { isReplica, messageOf, runScript, type ScriptCall } from "./client/run-script.ts";
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

/** The outcome of each operation of a call. */
export type Outcomes = NonNullable<Answer["outcomes"]>;

/** What awaits a call: one of the two is called, and what is called later has no effect, as with a promise. */
export interface Waiter {
  resolve(outcomes: Outcomes): void;
  /** Is given a `StoreError`, or what the clock that was given threw. */
  reject(error: unknown): void;
}

/** Sends operations to Redis. */
export interface Sender {
  /** Groups what waits into batches whose order does not matter, each with its script. Never throws. */
  batches<T extends WithOperation>(waiting: readonly T[]): readonly Batch<T>[];
  /**
   * Sends operations as one call of their batch's script. Resolves the waiter with the outcome of each, or rejects it,
   * after `patience` milliseconds at the latest, the deadline by default. Never throws.
   */
  send(
    operations: readonly Operation[],
    slot: number,
    script: Script,
    waiter: Waiter,
    patience?: number,
  ): void;
  close(): void;
}

/** Creates the sender of a client. It queues nothing: a call is sent at once, or never. */
export function senderOf(port: RedisPort, { names, deadline, clock }: SenderOptions): Sender {
  const readiness = readinessOf(port);
  const repair = repairBy(() => {
    try {
      port.reconnect();
    } catch {
      // A client that does not even disconnect is beyond repair, and its calls fail by themselves.
    }
  });
  const time = serverTime();
  const scripts = alikeScripts();
  const unanswered = unansweredCalls(deadline, repair.failed);

  function callNow(operations: readonly Operation[], script: Script): ScriptCall {
    const told = clock?.();
    // A client may keep a call whose connection broke, and send it again much later.
    const last = clock ? 0 : time.within(2 * deadline);
    return callOf(operations, names, script, { now: told ?? time.now(), last, clock: told });
  }

  function read(operations: readonly Operation[], reply: unknown, script: Script): Answer {
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

    send(operations, slot, script, waiter, patience = deadline) {
      const part = slot >> 8;
      let late = false;
      let pending: UnansweredCall | undefined;
      let leave = (): void => {};
      const stop = timeout(patience, () => {
        late = true;
        leave();
        pending?.overdue();
        const why = pending ? undefined : readiness.why();
        const told = why === undefined ? "" : `: ${messageOf(why)}`;
        waiter.reject(new StoreError(`Redis did not answer within ${deadline} ms${told}`, why));
      });

      function fail(error: unknown): void {
        stop();
        waiter.reject(error);
      }

      function ask(again: boolean): void {
        const call = callNow(operations, script);
        const own = unanswered.sent(part);
        pending = own;
        runScript(
          port,
          call,
          (reply) => {
            own.ended();
            attempt(() => answered(reply, again));
          },
          (error) => {
            own.ended(error);
            if (isReplica(error)) repair.failed();
            fail(error);
          },
        );
      }

      function answered(reply: unknown, again: boolean): void {
        const { outcomes } = read(operations, reply, script);
        // If there are none, it was in time, but the estimate of the server's clock was wrong.
        if (!outcomes && !again && !late) {
          ask(true);
          return;
        }
        if (!outcomes)
          throw new StoreError("Redis received the call after its deadline and did nothing");
        stop();
        waiter.resolve(outcomes);
      }

      function attempt(step: () => void): void {
        try {
          step();
        } catch (error) {
          fail(error);
        }
      }

      function begin(): void {
        unanswered.check(part);
        ask(false);
      }

      leave = readiness.whenReady(() => attempt(begin), fail);
    },
    close: () => readiness.close(),
  };
}
