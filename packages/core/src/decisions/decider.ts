import type { Decision } from "../decision.ts";
import { type AnyLimiterOptions, policyEntries } from "../options/limiter-options.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { createRule, type Rule } from "../policies/rule.ts";
import { watchWindows } from "../policies/short-window.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Store } from "../store.ts";
import { skippedDecision } from "./decided-without-store.ts";
import { type LimiterState, limiterState } from "./limiter-state.ts";
import { createNotifier, type Notifier } from "./notifier.ts";
import { settleBy } from "./settle.ts";
import { type Finish, storeAsker } from "./store-asker.ts";
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

const silent: Finish = (decision) => decision;

/**
 * Creates a decider from validated options. Throws a `ConfigError` for numbers that an algorithm cannot represent
 * exactly.
 */
export function createDecider(
  options: AnyLimiterOptions,
  state: LimiterState = limiterState(options),
): Decider {
  const { store } = state;
  const { onStoreError = "open" } = options;
  const { notify, report, warn } = createNotifier(options, state);
  const rules = policyEntries<PolicyOptions<never>>(options).map(([policy, path]) =>
    createRule(watchWindows(policy, path, warn), {
      store,
      onStoreError,
      path,
      memory: state,
      warn,
    }),
  );
  const settle = settleBy({ store, names: rules.map(({ name }) => name), report });
  const { ask, askOne, causeOf } = storeAsker({ store, settle, report });

  return {
    rules,
    store,

    decide: (charges, req) => ask(charges, true, notify, req),
    look: (charges, req) => ask(charges, false, silent, req),
    decideOne: (policy, key, cost, req) => askOne(policy, key, cost, notify, req),
    decideSilently: (charges, req) => ask(charges, true, silent, req),
    notify,

    exempt() {
      // A source may have replaced all policies by none.
      const { name = "", policy = { limit: Infinity } } = rules[0] ?? {};
      return skippedDecision(name, policy.limit);
    },

    ...storeWrites(store, report),

    made: (policy) => state.made.has(policy),
    causeOf,
    report,
    warn,

    async close() {
      if (options.store === undefined) await store.close?.();
    },
  };
}
