import { isPromise } from "../awaitable.ts";
import { policiesBehind } from "../decisions/decision-record.ts";
import type { Policy } from "../policy.ts";
import { counterOf } from "../store.ts";
import type { LimiterVisit } from "./request-state.ts";

/**
 * Finds a policy of a limiter whose key an earlier limiter has charged for the same request, in the same place of the
 * same store: such a request counts twice, or is refused because of its own charge, which is hardly ever intended.
 */
export function chargedTwice(visit: LimiterVisit): Policy | undefined {
  const own = askedOf(visit);
  for (let earlier = visit.earlier; earlier; earlier = earlier.earlier) {
    if (placeOf(earlier) !== placeOf(visit) || !isPaid(earlier)) continue;
    const twice = askedOf(earlier).find((paid) =>
      own.some((asked) => counterOf(paid) === counterOf(asked)),
    );
    if (twice) return twice.policy;
  }
  return undefined;
}

/** A key charged by a policy. */
interface ChargedKey {
  readonly key: string;
  readonly policy: Policy;
}

function placeOf({ limiter: { store } }: LimiterVisit): object {
  return store.place ?? store;
}

/** Returns what a visit's limiter asked its store to charge, except what costs nothing. */
function askedOf({ verdict }: LimiterVisit): readonly ChargedKey[] {
  const decision = verdict && !isPromise(verdict) ? verdict.decision : undefined;
  if (!decision) return [];
  const policies = policiesBehind(decision);
  return decision.statuses.flatMap(({ key, cost }, i) =>
    cost > 0 && policies[i] ? [{ key, policy: policies[i] }] : [],
  );
}

/** Whether its charges were kept. */
function isPaid({ verdict }: LimiterVisit): boolean {
  return verdict !== undefined && !isPromise(verdict) && verdict.decision?.allowed === true;
}
