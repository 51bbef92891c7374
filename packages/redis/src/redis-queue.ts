import { StoreError, type Taken } from "@spillway/core";
import type { Batch } from "./batches.ts";
import type { Operation } from "./operation.ts";
import { anyScript } from "./script/any-script.ts";
import type { Script } from "./script/script.ts";
import type { Outcomes, Sender } from "./sender.ts";

/** Collects the operations of one turn of the event loop, so that they are sent together. */
export interface RedisQueue {
  /** Resolves with what was taken; rejects with a `StoreError`. */
  push(operation: Operation): Promise<Taken | undefined>;
  /** Refuses all further operations. */
  close(): void;
}

/** A waiting operation. A class, since a literal might be allocated among old objects, and keep its request there. */
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

/**
 * Up to this many charges of one slot and batch make one call; more are halved, so that Redis and this process each
 * work on a half.
 */
const splitAbove = 8;
/** The approximate maximum of charges per call, so that none blocks Redis for long. */
const maxCallCharges = 64;

/**
 * Creates a queue. Operations of one slot are sent in order, or in batches that have no key in common; those of
 * different slots never share a call.
 */
export function redisQueue(sender: Sender, slotOf: (operation: Operation) => number): RedisQueue {
  /** The same array throughout, for the same reason. */
  const gathered: Pending[] = [];
  let closed = false;

  function flush(): void {
    if (gathered.length === 1) {
      sendAlone(gathered.pop()!);
      return;
    }
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

  /** A lone call runs between two waits, on cold caches, where the lists for many take longer than its own work. */
  function sendAlone(pending: Pending): void {
    const { operation, slot, reject } = pending;
    const [batch] = sender.batches([pending]);
    const resolve = ([outcome]: Outcomes): void => settle(pending, outcome);
    sender.send([operation], slot, batch!.script, { resolve, reject });
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
    sender.send(operations, slot, script, {
      resolve(outcomes) {
        for (const [i, each] of pending.entries()) settle(each, outcomes[i]);
      },
      reject(error) {
        for (const { reject } of pending) reject(error);
      },
    });
  }

  return {
    push(operation) {
      if (closed) return Promise.reject(new StoreError("The store was closed"));
      return new Promise((resolve, reject) => {
        // An operation whose slot is unknown is rejected here, without harm to others.
        const slot = slotOf(operation);
        // Not a microtask: requests from different sockets arrive in different ones of the same turn.
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

function settle({ resolve, reject }: Pending, outcome: Outcomes[number]): void {
  if (outcome instanceof StoreError) reject(outcome);
  else resolve(outcome);
}

/** Sends operations at once, as a call of the script for any, and resolves with the outcome of each. */
export function sendNow(
  sender: Sender,
  operations: readonly Operation[],
  slot: number,
  deadline?: number,
): Promise<Outcomes> {
  return new Promise((resolve, reject) => {
    sender.send(operations, slot, anyScript, { resolve, reject }, deadline);
  });
}

/** Creates a `push` that sends each operation at once, by itself, within `deadline` milliseconds. */
export function unqueued(
  sender: Sender,
  slotOf: (operation: Operation) => number,
  deadline: number,
): RedisQueue["push"] {
  return async (operation) => {
    const [outcome] = await sendNow(sender, [operation], slotOf(operation), deadline);
    if (outcome instanceof StoreError) throw outcome;
    return outcome;
  };
}

/**
 * Returns where a call ends that begins at `from`. Resets begin a call: a script deletes their keys at once, and what
 * came before must not be decided again from that if Redis refuses to write.
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
