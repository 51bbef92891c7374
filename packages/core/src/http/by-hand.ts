import { isPromise } from "../awaitable.ts";
import type { Decider } from "../decider.ts";
import { ConfigError } from "../errors.ts";
import { type Limiter, limiterOf } from "../limiter.ts";
import type { Rule } from "../rule.ts";

/**
 * Makes the limiter to look at keys by hand, where there is no request: nothing is skipped, and what a function of
 * the request would price costs 1. A limit that is such a function is asked with undefined; where it cannot do
 * without a request, that is a `ConfigError`.
 */
export function byHand(decider: Decider, priced: readonly boolean[]): Limiter {
  const rules = decider.rules.map(
    (rule, i): Rule => ({
      ...rule,
      skips: undefined,
      costOf: priced[i] ? () => 1 : rule.costOf,
      policyFor: () => limited(rule),
    }),
  );
  return limiterOf({ ...decider, rules });
}

function limited(rule: Rule): ReturnType<Rule["policyFor"]> {
  const failed = (): never => {
    const expected = `a limit of policy ${rule.name} that needs no request`;
    throw new ConfigError([
      { path: "limit", expected, received: "a function that failed without" },
    ]);
  };
  try {
    const policy = rule.policyFor(undefined);
    return isPromise(policy) ? policy.then(undefined, failed) : policy;
  } catch {
    return failed();
  }
}
