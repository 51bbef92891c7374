import { isPromise } from "../awaitable.ts";
import type { Decider } from "../decisions/decider.ts";
import { ConfigError } from "../errors.ts";
import { type Limiter, limiterOf } from "../limiter.ts";
import type { Rule } from "../policies/rule.ts";

/**
 * Creates the limiter for using keys by hand, without a request: nothing is skipped, and a cost that is a function of
 * the request is 1. Functions for limits and tiers are called with undefined, a tier's only if none is named; one that
 * cannot do without a request causes a `ConfigError`.
 */
export function byHand(decider: Decider, priced: readonly boolean[]): Limiter {
  const rules = decider.rules.map(
    (rule, i): Rule => ({
      ...rule,
      skips: undefined,
      costOf: priced[i] ? () => 1 : rule.costOf,
      policyFor: (_, tier) => limited(rule, tier),
    }),
  );
  return limiterOf({ ...decider, rules });
}

function limited(rule: Rule, tier: unknown): ReturnType<Rule["policyFor"]> {
  const failed = (cause?: unknown): never => {
    const received = "a function that failed without";
    if (rule.tiered && tier === undefined) {
      const expected = `the tier of the key, or null, where that of policy ${rule.name} needs a request`;
      throw caused(new ConfigError([{ path: "tier", expected, received }]), cause);
    }
    const expected = `a limit of policy ${rule.name} that needs no request${rule.tiered ? "" : " (as tiers do not, which can be named by hand)"}`;
    throw caused(new ConfigError([{ path: "limit", expected, received }]), cause);
  };
  try {
    const policy = rule.policyFor(undefined, tier);
    return isPromise(policy) ? policy.then(undefined, failed) : policy;
  } catch (cause) {
    return failed(cause);
  }
}

function caused(error: ConfigError, cause: unknown): ConfigError {
  return Object.assign(error, { cause });
}
