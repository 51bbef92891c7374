import { checkTaken } from "../check-taken.ts";
import type { Decision } from "../decision.ts";
import { type AnyLimiterOptions, policyEntries } from "../options/limiter-options.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { createRule, type Rule } from "../policies/rule.ts";
import { watchWindows } from "../policies/short-window.ts";
import type { Policy } from "../policy.ts";
import { singleChargeOf } from "../single-charge.ts";
import type { Charge, Store, Taken } from "../store.ts";
import { storeFailure } from "../store-failure.ts";
import { outageDecision, skippedDecision } from "./decided-without-store.ts";
import { decisionOf, decisionOfOne } from "./explain.ts";
import { type LimiterState, limiterState } from "./limiter-state.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import { settleBy } from "./settle.ts";
import { type StoreWrites, storeWrites } from "./store-writes.ts";

/** Makes a limiter's decisions, with or without HTTP. */
export interface Decider extends Notifier, StoreWrites {
  readonly rules: readonly Rule[];
  readonly store: Store;
  /** Asks the store and explains its result; synchronous if the store is. Never throws or rejects. */
  decide(charges: readonly Charge[], req: unknown): Decision | Promise<Decision>;
  /** Decides as `decide` would, but stores nothing and calls no hook. */
  look(charges: readonly Charge[], req: unknown): Decision | Promise<Decision>;
  /** Does what `decide` does for a single charge, with fewer allocations. */
  decideOne(policy: Policy, key: string, cost: number, req: unknown): Decision | Promise<Decision>;
  /** Decides and charges as `decide` does, but calls no hook: the decision may not be final. */
  decideSilently(charges: readonly Charge[], req: unknown): Decision | Promise<Decision>;
  /** Returns the decision on a request that every policy skips; calls no hook. */
  exempt(): Decision;
  /** Whether a policy is or was one of this limiter's. */
  made(policy: Policy): boolean;
  /** Returns the store's error for a decision that the store could not answer. */
  causeOf(decision: Decision): unknown;
  close(): Promise<void>;
}

/** Finishes a decision: notifies hooks, or does not. */
type Tell = Notifier["notify"];
const silent: Tell = (decision) => decision;

/**
 * Creates a decider from validated options. Throws a `ConfigError` for numbers that an algorithm cannot represent
 * exactly.
 */
export function createDecider(
  options: AnyLimiterOptions,
  state: LimiterState = limiterState(options),
): Decider {
  const { store } = state;
  const { notify: tell, report, warn } = createNotifier(options, state);
  const rules = policyEntries<PolicyOptions<never>>(options).map(([policy, path]) =>
    createRule(
      watchWindows(policy, path, warn),
      store,
      options.onStoreError ?? "open",
      path,
      state,
      warn,
    ),
  );
  const settle = settleBy({ store, names: rules.map(({ name }) => name), report });
  const single = singleChargeOf(store);
  const causes = new WeakMap<Decision, unknown>();

  function failed(
    cause: unknown,
    charges: readonly Charge[],
    finish: Tell,
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
    finish: Tell,
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
  function askOne(policy: Policy, key: string, cost: number, finish: Tell, req: unknown): Decision {
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
    finish: Tell,
    req: unknown,
  ): Decision | Promise<Decision> {
    if (keep && charges.length === 1 && single?.take === store.take) {
      const { policy, key, cost } = charges[0]!;
      return askOne(policy, key, cost, finish, req);
    }
    let taken: Taken | Promise<Taken>;
    try {
      taken = store.take(charges, keep);
    } catch (cause) {
      return failed(cause, charges, finish, req);
    }
    // Not isPromise: inlined here it only ever sees one kind of object and costs next to nothing.
    if (typeof (taken as Promise<Taken> | undefined)?.then !== "function") {
      return explained(charges, taken as Taken, keep, finish, req);
    }
    return Promise.resolve(taken).then(
      (answer) => explained(charges, answer, keep, finish, req),
      (cause: unknown) => failed(cause, charges, finish, req),
    );
  }

  return {
    rules,
    store,

    decide: (charges, req) => ask(charges, true, tell, req),
    look: (charges, req) => ask(charges, false, silent, req),
    decideOne: (policy, key, cost, req) =>
      single?.take === store.take
        ? askOne(policy, key, cost, tell, req)
        : ask([{ policy, key, cost }], true, tell, req),
    decideSilently: (charges, req) => ask(charges, true, silent, req),
    notify: tell,

    exempt() {
      // A source may have replaced all policies by none.
      const { name = "", policy = { limit: Infinity } } = rules[0] ?? {};
      return skippedDecision(name, policy.limit);
    },

    ...storeWrites(store, report),

    made: (policy) => state.made.has(policy),
    causeOf: (decision) => causes.get(decision),
    report,
    warn,

    async close() {
      if (options.store === undefined) await store.close?.();
    },
  };
}
