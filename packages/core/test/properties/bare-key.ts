import type { View } from "../../src/algorithm.ts";
import type { Policy } from "../../src/policy.ts";

/** One key of one policy without a store: time is an argument, and the state is accessible. */
export interface BareKey {
  policy: Policy;
  readonly slots: number[];
  take(now: number, cost: number): boolean;
  /** Returns what a store would for a look at a cost. */
  report(now: number, cost: number): number[];
  view(now: number, cost: number): View;
  give(now: number, cost: number, at: number, left: readonly number[]): void;
  expires(now: number): number;
  copy(): BareKey;
}

/** Creates a key never seen, or one with the given slots. */
export function bareKey(policy: Policy, slots: number[] = unseen(policy)): BareKey {
  const key: BareKey = {
    policy,
    slots,
    take(now, cost) {
      const { algorithm, params } = key.policy;
      return algorithm.take(slots, now, cost, params(now));
    },
    report(now, cost) {
      const { algorithm, params } = key.policy;
      return algorithm.report(slots, now, cost, params(now));
    },
    view(now, cost) {
      const { algorithm, params } = key.policy;
      return algorithm.view(key.report(now, cost), now, cost, params(now));
    },
    give(now, cost, at, left) {
      const { algorithm, params } = key.policy;
      algorithm.give(slots, now, cost, at, left, params(now));
    },
    expires(now) {
      const { algorithm, params } = key.policy;
      return algorithm.expires(slots, params(now));
    },
    copy: () => bareKey(key.policy, [...slots]),
  };
  return key;
}

function unseen({ algorithm, params }: Policy): number[] {
  return new Array<number>(algorithm.slots(params(0))).fill(0);
}
