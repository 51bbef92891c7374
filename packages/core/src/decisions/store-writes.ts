import { isPromise } from "../awaitable.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Receipt, Store } from "../store.ts";
import { storeFailure } from "../store-failure.ts";

/** A limiter's writes to its store other than charges. */
export interface StoreWrites {
  /** Refunds without waiting; a failure is reported. */
  give(receipt: Receipt, req: unknown): void;
  /** Refunds; rejects with a `StoreError`. */
  giveOrReject(receipt: Receipt): Promise<void>;
  /** Resets the keys of charges in their policies, without waiting; a failure is reported. */
  reset(charges: readonly Charge[], req: unknown): void;
  /** Resets a key in some policies; rejects with a `StoreError`. */
  resetOrReject(policies: readonly Policy[], key: string): Promise<void>;
}

const notGiven = "The store could not give back";
const notReset = "The store could not forget a key";

/** Creates the writes of a limiter; `report` receives failures. */
export function storeWrites(
  store: Store,
  report: (error: unknown, req: unknown) => void,
): StoreWrites {
  function attempt(act: () => unknown, told: string, req: unknown): void {
    const failed = (cause: unknown): void => report(storeFailure(cause, told), req);
    try {
      const result = act();
      if (isPromise(result)) Promise.resolve(result).then(undefined, failed);
    } catch (cause) {
      failed(cause);
    }
  }

  return {
    give: (receipt, req) => attempt(() => store.give(receipt), notGiven, req),

    giveOrReject: (receipt) => orFailure(() => store.give(receipt), notGiven),

    reset(charges, req) {
      for (const { policy, key } of charges) attempt(() => store.reset(policy, key), notReset, req);
    },

    async resetOrReject(policies, key) {
      const each = policies.map((policy) => orFailure(() => store.reset(policy, key), notReset));
      await Promise.all(each);
    },
  };
}

async function orFailure(act: () => unknown, told: string): Promise<void> {
  try {
    await act();
  } catch (cause) {
    throw storeFailure(cause, told);
  }
}
