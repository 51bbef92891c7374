import { type Awaitable, eachOf, settled } from "../awaitable.ts";
import { type Decision, isOutage, type PolicyStatus } from "../decision.ts";
import { policiesOf } from "../decisions/decision-record.ts";
import type { Charge } from "../store.ts";
import { chargedKey, type HttpRule, isSkipped } from "./bill.ts";
import type { Plan } from "./plan.ts";
import type { RequestContext } from "./request-context.ts";

/** How a client stands with one policy; times are whole seconds. */
export interface PolicyUsage {
  readonly policy: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Until the client is as good as new. */
  readonly reset: number;
  readonly window: number;
}

/** What a client is told of its usage. */
export interface Usage {
  /** In the order of the options; policies in shadow mode are not told of. */
  readonly policies: readonly PolicyUsage[];
  /** Where the answer comes from less than the whole, such as a fallback of the store. */
  readonly degraded?: true;
}

/**
 * Looks up how the client of a request stands with every policy, whatever rules the request matches, and charges
 * nothing; undefined where the store could not answer. Throws or rejects where a function of the options does.
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
  // By the policies that decided: where a fallback of the store did, these hold less.
  const by = policiesOf(decision);
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
    return settled(rule.policyFor(context.req), (policy) => ({
      policy,
      key: chargedKey(context, found),
      cost: 0,
    }));
  });
}
