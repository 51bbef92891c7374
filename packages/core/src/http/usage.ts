import { type Awaitable, eachOf, settled } from "../awaitable.ts";
import { type Decision, isOutage, type PolicyStatus } from "../decision.ts";
import { policiesBehind } from "../decisions/decision-record.ts";
import type { Charge } from "../store.ts";
import { chargedKey, type HttpRule, isSkipped, policyOf } from "./bill.ts";
import type { Plan } from "./plan.ts";
import type { RequestContext } from "./request-context.ts";

/** A client's usage of one policy; times are whole seconds. */
export interface PolicyUsage {
  readonly policy: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Until the client is as good as new. */
  readonly reset: number;
  readonly window: number;
}

/** The usage that a client is shown. */
export interface Usage {
  /** In the order of the options; policies in shadow mode are left out. */
  readonly policies: readonly PolicyUsage[];
  /** Set if the answer is from less than the whole, such as a fallback of the store. */
  readonly degraded?: true;
}

/**
 * Returns the usage of a request's client under every policy, whatever rules the request matches, without charging;
 * undefined if the store could not answer. Throws or rejects if a function of the options does.
 */
export function usageOf(plan: Plan, context: RequestContext): Awaitable<Usage | undefined> {
  const told = plan.rules.filter(({ policy }) => !policy.shadow);
  return settled(
    eachOf(told, (rule) => lookBy(rule, context)),
    (charges) => {
      if (charges.length === 0) return { policies: [] };
      return settled(plan.decider.look(charges, context.req), usageBy);
    },
  );
}

function usageBy(decision: Decision): Usage | undefined {
  const { statuses, degraded } = decision;
  if (isOutage(decision)) return undefined;
  // The policies that decided: if a fallback of the store did, these hold less.
  const by = policiesBehind(decision);
  const policies = statuses.map((status, i) => usedOf(status, by[i]!.maxCost));
  return degraded ? { policies, degraded } : { policies };
}

/** Of a bucket that holds less than the limit, only what it holds can be used. */
function usedOf(
  { policy, limit, remaining, resetAfter, window }: PolicyStatus,
  maxCost: number,
): PolicyUsage {
  return {
    policy,
    limit,
    used: Math.max(0, Math.min(limit, maxCost) - remaining),
    remaining,
    reset: Math.ceil(resetAfter / 1000),
    window: Math.ceil(window / 1000),
  };
}

function lookBy(rule: HttpRule, context: RequestContext): Awaitable<Charge | undefined> {
  return settled(rule.extractor.identify(context), (found) => {
    if (isSkipped(rule, found)) return undefined;
    return settled(policyOf(rule, context), (policy) => ({
      policy,
      key: chargedKey(context, found),
      cost: 0,
    }));
  });
}
