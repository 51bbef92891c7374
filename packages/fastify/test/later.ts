import { setImmediate } from "node:timers/promises";
import type { Store } from "@spillway/core";

/** Wraps a store to return promises, turns of the event loop later, like one behind a network. */
export function later(store: Store): Store {
  return {
    ...store,
    async take(charges, keep) {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      return store.take(charges, keep);
    },
  };
}
