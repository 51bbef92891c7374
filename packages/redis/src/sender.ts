import { type Clock, StoreError, systemClock } from "@spillway/core";
import { type Answer, answerTo } from "./answer.ts";
import { callOf } from "./call.ts";
import { readinessOf } from "./client/readiness.ts";
import type { RedisPort } from "./client/redis-port.ts";
import { repairBy } from "./client/repair.ts";
import { isReplica, messageOf, runScript } from "./client/run-script.ts";
import type { KeyNames } from "./key-names.ts";
import { type Kind, kindsOf, type WithWish } from "./kinds.ts";
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

/** How many calls to the same slots may be unanswered past their deadline before no more are sent there. */
const maxOverdue = 64;
/** After so many milliseconds without any answer, and at least ten deadlines, a connection is given up. */
const silence = 1000;

/** Makes the sender of a client. It queues nothing: a call goes out at once, or never. */
export function senderOf(port: RedisPort, { names, deadline, clock }: SenderOptions): Sender {
  const readiness = readinessOf(port);
  const repair = repairBy(() => port.reconnect());
  const time = serverTime();
  const scripts = alikeScripts();
  /** Calls past their deadline, by the 64th part of a cluster's slots, so that a lost master stops only its own. */
  const overdue = new Uint32Array(64);
  /** When Redis answered last; when it was asked, where it owed nothing before. */
  let heard = 0;
  let owed = 0;

  async function ask(
    wishes: readonly Wish[],
    isLate: () => boolean,
    part: number,
    script: Script,
  ): Promise<Answer> {
    const told = clock?.();
    // a client may keep a call whose connection broke and send it again much later
    const last = clock ? 0 : time.within(2 * deadline);
    const times = { now: told ?? time.now(), last, clock: told };
    const { keys, args } = callOf(wishes, names, script, times);
    let reply: unknown;
    if (owed++ === 0) heard = systemClock();
    try {
      reply = await runScript(port, script, keys, args);
    } catch (error) {
      if (isReplica(error)) repair.failed();
      throw error;
    } finally {
      owed--;
      heard = systemClock();
      if (isLate()) overdue[part]!--;
    }
    const answer = answerTo(wishes, reply, script);
    if (answer.outcomes?.some(isReplica)) repair.failed();
    if (!clock) time.seen(answer.now);
    return answer;
  }

  function checkOverdue(part: number): void {
    if (overdue[part]! < maxOverdue) return;
    if (systemClock() - heard > Math.max(silence, 10 * deadline)) repair.failed();
    throw new StoreError(`Redis owes ${overdue[part]} answers`);
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
        let asking = false;
        let leave = (): void => {};
        const stop = timeout(patience, () => {
          late = true;
          leave();
          if (asking) overdue[part]!++;
          const why = asking ? undefined : readiness.why();
          const told = why === undefined ? "" : `: ${messageOf(why)}`;
          reject(new StoreError(`Redis did not answer within ${deadline} ms${told}`, why));
        });

        async function attempt(): Promise<void> {
          if (late) return;
          checkOverdue(part);
          asking = true;
          let answer = await ask(wishes, () => late, part, script);
          // it was in time, but the server's clock is not what it was taken for
          if (!answer.outcomes && !late) answer = await ask(wishes, () => late, part, script);
          if (!answer.outcomes) throw new StoreError("Redis met the call too late");
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
