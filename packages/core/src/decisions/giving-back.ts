import { isPromise } from "../awaitable.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Receipt, Store } from "../store.ts";
import { storeFailure } from "../store-failure.ts";

/** What a limiter asks of its store beside decisions. */
export interface GivingBack {
  /** Gives back without waiting; a failure is reported. */
  give(receipt: Receipt, req: unknown): void;
  /** Gives back; rejects with a `StoreError`. */
  giveBack(receipt: Receipt): Promise<void>;
  /** Forgets the keys of charges, in their policies, without waiting; a failure is reported. */
  forget(charges: readonly Charge[], req: unknown): void;
  /** Forgets a key of some policies; rejects with a `StoreError`. */
  forgetKey(policies: readonly Policy[], key: string): Promise<void>;
}

const notGiven = "The store could not give back";
const notForgotten = "The store could not forget a key";

export function givingBack(
  store: Store,
  report: (error: unknown, req: unknown) => void,
): GivingBack {
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

    giveBack: (receipt) => orFailure(() => store.give(receipt), notGiven),

    forget(charges, req) {
      for (const { policy, key } of charges)
        attempt(() => store.reset(policy, key), notForgotten, req);
    },

    async forgetKey(policies, key) {
      const each = policies.map((policy) =>
        orFailure(() => store.reset(policy, key), notForgotten),
      );
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
