import { isPromise } from "../awaitable.ts";
import { receiptOf } from "../decision.ts";
import type { Charge, Store } from "../store.ts";
import type { Entry } from "./carried.ts";

/**
 * Finds a charge of a limiter that an earlier one has made on the same request, of the same key in the same place of the
 * same store: such a request counts twice, which hardly anybody means.
 */
export function chargedTwice(entry: Entry): Charge | undefined {
  for (let earlier = entry.earlier; earlier; earlier = earlier.earlier) {
    if (placeOf(earlier) !== placeOf(entry)) continue;
    const before = chargesOf(earlier);
    const twice = chargesOf(entry).find((charge) => before.some((other) => isSame(charge, other)));
    if (twice) return twice;
  }
  return undefined;
}

function placeOf({ limiter }: Entry): object {
  const { store } = limiter as { readonly store: Store };
  return store.place ?? store;
}

function chargesOf({ verdict }: Entry): readonly Charge[] {
  const decision = verdict && !isPromise(verdict) ? verdict.decision : undefined;
  return (decision && receiptOf(decision)?.charges) ?? [];
}

function isSame(one: Charge, other: Charge): boolean {
  return (
    one.key === other.key &&
    one.policy.space === other.policy.space &&
    one.policy.kind === other.policy.kind
  );
}
