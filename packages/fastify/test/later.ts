import { setImmediate } from "node:timers/promises";
import type { Store } from "@spillway/core";

/** A store that answers by promises, turns of the event loop later, as one behind a network does. */
export function later(store: Store): Store {
  return {
    ...store,
    async take(charges, keep) {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      return store.take(charges, keep);
    },
  };
}
