import { StoreError, type Taken } from "@spillway/core";
import type { Batch } from "./batches.ts";
import type { Operation } from "./operation.ts";
import { anyScript } from "./script/any-script.ts";
import type { Script } from "./script/script.ts";
import type { Sender } from "./sender.ts";

/** Gathers the operations of one turn of the event loop, so that they travel together. */
export interface RedisQueue {
  /** Resolves with what was taken; rejects with a `StoreError`. */
  push(operation: Operation): Promise<Taken | undefined>;
  /** Refuses what comes after. */
  close(): void;
}

/** An operation that waits. A class: a literal might be made among old objects, and keep its request there. */
class Pending {
  declare readonly operation: Operation;
  declare readonly slot: number;
  declare readonly resolve: (taken: Taken | undefined) => void;
  declare readonly reject: (error: unknown) => void;

  constructor(
    operation: Operation,
    slot: number,
    resolve: Pending["resolve"],
    reject: Pending["reject"],
  ) {
    this.operation = operation;
    this.slot = slot;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** So many charges of a slot and a batch are one call; more are halved, so that Redis and this process work at a half each. */
const splitAbove = 8;
/** How many charges one call carries at the most, about, so that none holds Redis for long. */
const maxCallCharges = 64;

/**
 * Makes a queue. Operations of one slot travel in order, or in batches that have no key in common; those of different slots
 * never share a call.
 */
export function redisQueue(sender: Sender, slotOf: (operation: Operation) => number): RedisQueue {
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
    for (const batch of sender.batches(pending)) sendBatch(batch, slot);
  }

  function sendBatch({ waiting: pending, script }: Batch<Pending>, slot: number): void {
    const operations = pending.map(({ operation }) => operation);
    const all = operations.reduce((sum, operation) => sum + sizeOf(operation), 0);
    const size = all <= splitAbove ? all : Math.min(Math.ceil(all / 2), maxCallCharges);
    for (let from = 0; from < pending.length; ) {
      const to = endOfCall(operations, from, size);
      send(pending.slice(from, to), operations.slice(from, to), slot, script);
      from = to;
    }
  }

  function send(
    pending: readonly Pending[],
    operations: readonly Operation[],
    slot: number,
    script: Script,
  ): void {
    sender.send(operations, slot, script).then(
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
    push(operation) {
      if (closed) return Promise.reject(new StoreError("The store was closed"));
      return new Promise((resolve, reject) => {
        // what has no slot is refused here, and spoils nothing for others
        const slot = slotOf(operation);
        // not a microtask: requests from different sockets come in different ones of the same turn
        if (gathered.length === 0) setImmediate(flush);
        gathered.push(new Pending(operation, slot, resolve, reject));
      });
    },
    close() {
      closed = true;
      sender.close();
    },
  };
}

/** Makes what does operations at once, each by a call of its own, within so many milliseconds. */
export function unqueued(
  sender: Sender,
  slotOf: (operation: Operation) => number,
  deadline: number,
): RedisQueue["push"] {
  return async (operation) => {
    const [outcome] = await sender.send([operation], slotOf(operation), anyScript, deadline);
    if (outcome instanceof StoreError) throw outcome;
    return outcome;
  };
}

/**
 * Finds where a call ends that begins at an operation. Resets begin one: a script forgets their keys at once, and what came
 * before must not be worked out again upon that, where Redis refuses to write.
 */
function endOfCall(operations: readonly Operation[], from: number, size: number): number {
  let to = from;
  for (let held = 0; to < operations.length && held < size; ) {
    if (to > from && operations[to]!.type === "reset" && operations[to - 1]!.type !== "reset")
      break;
    held += sizeOf(operations[to++]!);
  }
  return to;
}

function sizeOf(operation: Operation): number {
  return operation.type === "take" ? operation.charges.length : 1;
}
