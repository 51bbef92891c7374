import { checkTaken } from "../check-taken.ts";
import type { Decision } from "../decision.ts";
import type { Policy } from "../policy.ts";
import { singleChargeOf } from "../single-charge.ts";
import type { Charge, Store, Taken } from "../store.ts";
import { storeFailure } from "../store-failure.ts";
import { outageDecision } from "./decided-without-store.ts";
import type { Settle } from "./decision-record.ts";
import { decisionOf, decisionOfOne } from "./explain.ts";
import type { Notifier } from "./notifier.ts";

/** Finishes a decision: notifies hooks, or does not. */
export type Finish = Notifier["notify"];

/** Asks a store and explains its result. Synchronous if the store is; never throws or rejects. */
export interface StoreAsker {
  /** Decides charges; with `keep` false it only looks. */
  ask(
    charges: readonly Charge[],
    keep: boolean,
    finish: Finish,
    req: unknown,
  ): Decision | Promise<Decision>;
  /** Does what `ask` does for a single charge that is kept, with fewer allocations. */
  askOne(
    policy: Policy,
    key: string,
    cost: number,
    finish: Finish,
    req: unknown,
  ): Decision | Promise<Decision>;
  /** Returns the store's error for a decision that the store could not answer. */
  causeOf(decision: Decision): unknown;
}

/** What a store asker needs from its limiter. */
export interface AskerDeps {
  readonly store: Store;
  readonly settle: Settle;
  readonly report: Notifier["report"];
}

/** Creates a store asker. */
export function storeAsker({ store, settle, report }: AskerDeps): StoreAsker {
  const single = singleChargeOf(store);
  const causes = new WeakMap<Decision, unknown>();

  function failed(
    cause: unknown,
    charges: readonly Charge[],
    finish: Finish,
    req: unknown,
  ): Decision {
    const error = storeFailure(cause, "The store could not answer");
    report(error, req);
    const closing = charges.find(
      ({ policy }) => policy.onStoreError === "closed" && !policy.shadow,
    );
    const { policy, key } = closing ?? charges[0]!;
    const decision = outageDecision(closing ? "closed" : "open", {
      policy: policy.name,
      key,
      limit: policy.limit,
    });
    causes.set(decision, error);
    return finish(decision, req);
  }

  function explained(
    charges: readonly Charge[],
    taken: Taken,
    keep: boolean,
    finish: Finish,
    req: unknown,
  ): Decision {
    let decision: Decision;
    try {
      // The memory store's own results need no check.
      if (single?.take !== store.take) checkTaken(charges, taken);
      decision = decisionOf(charges, taken, keep, settle, req);
    } catch (cause) {
      // An invalid result means that the store failed.
      return failed(cause, charges, finish, req);
    }
    return finish(decision, req);
  }

  /** Requires that the store's shortcut is enabled. */
  function takeOne(
    policy: Policy,
    key: string,
    cost: number,
    finish: Finish,
    req: unknown,
  ): Decision {
    let decision: Decision;
    try {
      const taken = single!.takeOne(policy, key, cost);
      decision = decisionOfOne(policy, key, cost, taken, settle, req);
    } catch (cause) {
      return failed(cause, [{ policy, key, cost }], finish, req);
    }
    return finish(decision, req);
  }

  function ask(
    charges: readonly Charge[],
    keep: boolean,
    finish: Finish,
    req: unknown,
  ): Decision | Promise<Decision> {
    if (keep && charges.length === 1 && single?.take === store.take) {
      const { policy, key, cost } = charges[0]!;
      return takeOne(policy, key, cost, finish, req);
    }
    let taken: Taken | Promise<Taken>;
    let isLater: boolean;
    try {
      taken = store.take(charges, keep);
      // Not isPromise: inlined here it only ever sees one kind of object and costs next to nothing.
      isLater = typeof (taken as Promise<Taken> | undefined)?.then === "function";
    } catch (cause) {
      return failed(cause, charges, finish, req);
    }
    if (!isLater) return explained(charges, taken as Taken, keep, finish, req);
    return Promise.resolve(taken).then(
      (answer) => explained(charges, answer, keep, finish, req),
      (cause: unknown) => failed(cause, charges, finish, req),
    );
  }

  return {
    ask,
    askOne: (policy, key, cost, finish, req) =>
      single?.take === store.take
        ? takeOne(policy, key, cost, finish, req)
        : ask([{ policy, key, cost }], true, finish, req),
    causeOf: (decision) => causes.get(decision),
  };
}
