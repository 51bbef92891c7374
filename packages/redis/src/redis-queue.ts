import { StoreError, type Taken } from "@spillway/core";
import type { Wish } from "./call.ts";
import type { Sender } from "./sender.ts";

/** Gathers the wishes of one turn of the event loop, so that they travel together. */
export interface RedisQueue {
  /** Resolves with what was taken; rejects with a `StoreError`. */
  push(wish: Wish): Promise<Taken | undefined>;
  /** Refuses what comes after. */
  close(): void;
}

/** A class: a literal might be made among old objects, and keep there the request that waits for it. */
class Order {
  declare readonly wish: Wish;
  declare readonly resolve: (taken: Taken | undefined) => void;
  declare readonly reject: (error: unknown) => void;

  constructor(wish: Wish, resolve: Order["resolve"], reject: Order["reject"]) {
    this.wish = wish;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/**
 * How many charges one call carries, about: few enough that none holds Redis for long, and half of what is there from
 * `fewest` on, so that Redis works at one half while this process writes and reads the other.
 */
const [fewest, most] = [8, 64];

/** Makes a queue. Wishes of one slot travel in order; those of different slots never share a call. */
export function redisQueue(sender: Sender, slotOf: (wish: Wish) => number): RedisQueue {
  /** One list for good, for the same reason. */
  const gathered: Order[] = [];
  let closed = false;

  function flush(): void {
    const orders = gathered.splice(0);
    const slots = orders.map(({ wish }) => slotOf(wish));
    if (slots.every((slot) => slot === slots[0])) {
      settleAll(orders, slots[0]!);
      return;
    }
    const bySlot = new Map<number, Order[]>();
    orders.forEach((order, i) => {
      const others = bySlot.get(slots[i]!);
      if (others) others.push(order);
      else bySlot.set(slots[i]!, [order]);
    });
    for (const [slot, own] of bySlot) settleAll(own, slot);
  }

  function settleAll(orders: readonly Order[], slot: number): void {
    const half = Math.ceil(orders.reduce((sum, { wish }) => sum + sizeOf(wish), 0) / 2);
    const size = Math.min(Math.max(half, fewest), most);
    for (let from = 0; from < orders.length; ) {
      const to = endOfCall(orders, from, size);
      settle(orders.slice(from, to), slot);
      from = to;
    }
  }

  function settle(orders: readonly Order[], slot: number): void {
    const wishes = orders.map(({ wish }) => wish);
    sender.send(wishes, slot).then(
      (outcomes) => {
        orders.forEach(({ resolve, reject }, i) => {
          const outcome = outcomes[i];
          if (outcome instanceof StoreError) reject(outcome);
          else resolve(outcome);
        });
      },
      (error: unknown) => {
        for (const { reject } of orders) reject(error);
      },
    );
  }

  return {
    push(wish) {
      if (closed) return Promise.reject(new StoreError("The store was closed"));
      return new Promise((resolve, reject) => {
        // not a microtask: requests from different sockets come in different ones of the same turn
        if (gathered.length === 0) setImmediate(flush);
        gathered.push(new Order(wish, resolve, reject));
      });
    },
    close() {
      closed = true;
      sender.close();
    },
  };
}

function endOfCall(orders: readonly Order[], from: number, size: number): number {
  let to = from;
  for (let held = 0; to < orders.length && held < size; ) held += sizeOf(orders[to++]!.wish);
  return to;
}

function sizeOf(wish: Wish): number {
  return wish.act === "take" ? wish.charges.length : 1;
}
