import type { Policy } from "./policy.ts";
import type { Store, TakenOne } from "./store.ts";

/** A store's short way for what most requests are: one charge. */
export interface SingleCharge {
  /** The store's `take` that the short way stands for: where it was replaced, by a wrapper or a spy, the way is closed. */
  readonly take: Store["take"];
  /** Does what `take([{ policy, key, cost }], true)` does, without lists. The next call overwrites the answer. */
  takeOne(policy: Policy, key: string, cost: number): TakenOne;
}

const stores = new WeakMap<Store, SingleCharge>();

/** Notes a store's short way; in no field of the store, since a copy of its fields is another store. */
export function noteSingleCharge(store: Store, takeOne: SingleCharge["takeOne"]): void {
  stores.set(store, { take: store.take, takeOne });
}

export function singleChargeOf(store: Store): SingleCharge | undefined {
  return stores.get(store);
}
