import { StoreError, type Taken } from "@spillway/core";
import type { Kind } from "./kinds.ts";
import { anyScript } from "./script/any-script.ts";
import type { Script } from "./script/script.ts";
import type { Sender } from "./sender.ts";
import type { Wish } from "./wish.ts";

/** Gathers the wishes of one turn of the event loop, so that they travel together. */
export interface RedisQueue {
  /** Resolves with what was taken; rejects with a `StoreError`. */
  push(wish: Wish): Promise<Taken | undefined>;
  /** Refuses what comes after. */
  close(): void;
}

/** A wish that waits. A class: a literal might be made among old objects, and keep its request there. */
class Pending {
  declare readonly wish: Wish;
  declare readonly slot: number;
  declare readonly resolve: (taken: Taken | undefined) => void;
  declare readonly reject: (error: unknown) => void;

  constructor(wish: Wish, slot: number, resolve: Pending["resolve"], reject: Pending["reject"]) {
    this.wish = wish;
    this.slot = slot;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** So many charges of a slot and a kind are one call; more are halved, so that Redis and this process work at a half each. */
const splitAbove = 8;
/** How many charges one call carries at the most, about, so that none holds Redis for long. */
const maxCallCharges = 64;

/**
 * Makes a queue. Wishes of one slot travel in order, or in kinds that have no key in common; those of different slots
 * never share a call.
 */
export function redisQueue(sender: Sender, slotOf: (wish: Wish) => number): RedisQueue {
  /** One list for good, for the same reason. */
  const gathered: Pending[] = [];
  let closed = false;

  function flush(): void {
    const pending = gathered.splice(0);
    const [{ slot: first }] = pending as [Pending];
    if (pending.every(({ slot }) => slot === first)) {
      sendAll(pending, first);
      return;
    }
    const bySlot = new Map<number, Pending[]>();
    for (const each of pending) {
      const others = bySlot.get(each.slot);
      if (others) others.push(each);
      else bySlot.set(each.slot, [each]);
    }
    for (const [slot, own] of bySlot) sendAll(own, slot);
  }

  function sendAll(pending: readonly Pending[], slot: number): void {
    for (const kind of sender.kinds(pending)) sendKind(kind, slot);
  }

  function sendKind({ waiting: pending, script }: Kind<Pending>, slot: number): void {
    const wishes = pending.map(({ wish }) => wish);
    const all = wishes.reduce((sum, wish) => sum + sizeOf(wish), 0);
    const size = all <= splitAbove ? all : Math.min(Math.ceil(all / 2), maxCallCharges);
    for (let from = 0; from < pending.length; ) {
      const to = endOfCall(wishes, from, size);
      send(pending.slice(from, to), wishes.slice(from, to), slot, script);
      from = to;
    }
  }

  function send(
    pending: readonly Pending[],
    wishes: readonly Wish[],
    slot: number,
    script: Script,
  ): void {
    sender.send(wishes, slot, script).then(
      (outcomes) => {
        pending.forEach(({ resolve, reject }, i) => {
          const outcome = outcomes[i];
          if (outcome instanceof StoreError) reject(outcome);
          else resolve(outcome);
        });
      },
      (error: unknown) => {
        for (const { reject } of pending) reject(error);
      },
    );
  }

  return {
    push(wish) {
      if (closed) return Promise.reject(new StoreError("The store was closed"));
      return new Promise((resolve, reject) => {
        // what has no slot is refused here, and spoils nothing for others
        const slot = slotOf(wish);
        // not a microtask: requests from different sockets come in different ones of the same turn
        if (gathered.length === 0) setImmediate(flush);
        gathered.push(new Pending(wish, slot, resolve, reject));
      });
    },
    close() {
      closed = true;
      sender.close();
    },
  };
}

/** Makes what does wishes at once, each by a call of its own, within so many milliseconds. */
export function unqueued(
  sender: Sender,
  slotOf: (wish: Wish) => number,
  deadline: number,
): RedisQueue["push"] {
  return async (wish) => {
    const [outcome] = await sender.send([wish], slotOf(wish), anyScript, deadline);
    if (outcome instanceof StoreError) throw outcome;
    return outcome;
  };
}

/**
 * Finds where a call ends that begins at a wish. Resets begin one: a script forgets their keys at once, and what came
 * before must not be worked out again upon that, where Redis refuses to write.
 */
function endOfCall(wishes: readonly Wish[], from: number, size: number): number {
  let to = from;
  for (let held = 0; to < wishes.length && held < size; ) {
    if (to > from && wishes[to]!.act === "reset" && wishes[to - 1]!.act !== "reset") break;
    held += sizeOf(wishes[to++]!);
  }
  return to;
}

function sizeOf(wish: Wish): number {
  return wish.act === "take" ? wish.charges.length : 1;
}
