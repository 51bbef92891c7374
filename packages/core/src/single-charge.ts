import type { Policy } from "./policy.ts";
import type { Store, TakenOne } from "./store.ts";

/** A store's shortcut for the most common request: a single charge. */
export interface SingleCharge {
  /** The `take` that the shortcut replaces: if a wrapper or a spy has replaced it, the shortcut is disabled. */
  readonly take: Store["take"];
  /** Does what `take([{ policy, key, cost }], true)` does, without arrays. The next call overwrites the result. */
  takeOne(policy: Policy, key: string, cost: number): TakenOne;
}

const stores = new WeakMap<Store, SingleCharge>();

/** Registers a store's shortcut; not in a field, because a copy of a store's fields is another store. */
export function noteSingleCharge(store: Store, takeOne: SingleCharge["takeOne"]): void {
  stores.set(store, { take: store.take, takeOne });
}

/** Returns a store's shortcut; undefined when it has none. */
export function singleChargeOf(store: Store): SingleCharge | undefined {
  return stores.get(store);
}
