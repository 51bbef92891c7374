import { isPromise } from "../awaitable.ts";
import { type Decision, receiptOf } from "../decision.ts";
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
    const twice = before.find((charge) => hasCharged(entry, charge));
    if (twice) return twice;
  }
  return undefined;
}

function placeOf({ limiter }: Entry): object {
  const { store } = limiter as { readonly store: Store };
  return store.place ?? store;
}

function decisionOf({ verdict }: Entry): Decision | undefined {
  return verdict && !isPromise(verdict) ? verdict.decision : undefined;
}

function chargesOf(entry: Entry): readonly Charge[] {
  const decision = decisionOf(entry);
  const charges = (decision && receiptOf(decision)?.charges) ?? [];
  return charges.filter(({ cost }) => cost > 0);
}

function hasCharged(entry: Entry, { policy, key }: Charge): boolean {
  const decision = decisionOf(entry);
  if (decision === undefined) return false;
  if (decision.allowed) {
    const { space, kind } = policy;
    return chargesOf(entry).some(
      (own) => own.key === key && own.policy.space === space && own.policy.kind === kind,
    );
  }
  // A refusal took nothing: of where it counts, its status says enough.
  return decision.statuses.some(
    (own) =>
      own.key === key &&
      own.cost > 0 &&
      own.policy === policy.name &&
      own.limit === policy.limit &&
      own.window === policy.window,
  );
}
