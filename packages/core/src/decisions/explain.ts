import { binds, type Decision, type PolicyStatus, type Refused } from "../decision.ts";
import type { Policy } from "../policy.ts";
import { type Charge, passes, type Taken, type TakenOne } from "../store.ts";
import {
  DecisionRecord,
  policiesBehind,
  type Settle,
  sealed,
  statusOf,
} from "./decision-record.ts";

/** Turns a store's result into a decision. */
export function decisionOf(
  charges: readonly Charge[],
  taken: Taken,
  kept: boolean,
  settle?: Settle,
  req?: unknown,
): Decision {
  const { now, fits, states, policies } = taken;
  const allowed = passes(charges, fits);
  // Preallocated: a growing array reserves room for sixteen more.
  const statuses = new Array<PolicyStatus>(charges.length);
  const by = new Array<Policy>(charges.length);
  let binding = 0;
  let delay = 0;
  let longest = 0;
  let shadowed = false;
  for (let i = 0; i < charges.length; i++) {
    const { key, cost } = charges[i]!;
    const policy = policies?.[i] ?? charges[i]!.policy;
    by[i] = policy;
    const view = policy.algorithm.view(states[i]!, now, cost, policy.params(now));
    const fit = fits[i]!;
    if (!fit && policy.shadow) shadowed = true;
    if (allowed && cost > 0 && !policy.shadow) {
      // A look queued nothing: it reports how long the queue is.
      const held = kept ? view : policy.algorithm.view(states[i]!, now, 0, policy.params(now));
      if (held.delay > delay) delay = held.delay;
    }
    // Includes policies that fitted but count refusals and were charged for this one.
    if (!policy.shadow && view.retryAfter > longest) longest = view.retryAfter;
    statuses[i] = statusOf(policy, key, cost, fit, view);
    if (i > 0 && binds(statuses[i]!, statuses[binding]!, allowed)) binding = i;
  }
  const bound = statuses[binding]!;
  return sealed(
    new DecisionRecord(
      allowed,
      allowed ? "ok" : reasonOf(bound.blocked, bound.retryAfter),
      bound,
      allowed ? 0 : longest,
      delay,
      Object.freeze(statuses) as readonly PolicyStatus[],
      taken.degraded === true,
      shadowed,
      now,
      by,
      kept && allowed ? { charges, now, fits, states } : undefined,
      settle,
      req,
    ),
  );
}

/** Does what `decisionOf` does for a single kept charge, with fewer allocations. */
export function decisionOfOne(
  policy: Policy,
  key: string,
  cost: number,
  { now, fit, state }: TakenOne,
  settle: Settle,
  req: unknown,
): Decision {
  const view = policy.algorithm.view(state, now, cost, policy.params(now));
  const status = statusOf(policy, key, cost, fit, view);
  const { shadow } = policy;
  const allowed = fit || shadow;
  return sealed(
    new DecisionRecord(
      allowed,
      allowed ? "ok" : reasonOf(status.blocked, view.retryAfter),
      status,
      allowed ? 0 : view.retryAfter,
      allowed && !shadow && cost > 0 ? view.delay : 0,
      Object.freeze([status]),
      false,
      !fit && shadow,
      now,
      policy,
      allowed ? state : undefined,
      settle,
      req,
    ),
  );
}

function reasonOf(blocked: boolean, retryAfter: number): Refused["reason"] {
  if (blocked) return "blocked";
  return retryAfter === Infinity ? "cost-exceeds-limit" : "limited";
}

/** Returns the binding policy of a decision of this copy of the package. */
export function boundPolicyOf(decision: Decision): Policy | undefined {
  const { policy, key, statuses } = decision;
  const bound = statuses.findIndex((status) => status.policy === policy && status.key === key);
  return policiesBehind(decision)[bound];
}
