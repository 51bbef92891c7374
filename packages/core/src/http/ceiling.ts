import { createPolicy, type Policy } from "../policy.ts";

const ceilings = new WeakMap<Policy, Map<number | undefined, Policy>>();

/** How many times a policy's limit an address may use with unverified API keys. */
const factor = 10;

/**
 * Returns the policy by which an address pays for all the unverified API keys that it sends: otherwise a new key per
 * request would give an allowance per request. A sliding window, whatever the policy's own algorithm.
 */
export function ceilingOf(policy: Policy, units: number | undefined): Policy {
  const known = ceilings.get(policy) ?? new Map<number | undefined, Policy>();
  ceilings.set(policy, known);
  const ceiling = known.get(units) ?? createCeiling(policy, units);
  known.set(units, ceiling);
  return ceiling;
}

function createCeiling(policy: Policy, units: number | undefined): Policy {
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / (2 * policy.window));
  return createPolicy({
    name: policy.name,
    // No policy name contains a tab.
    space: `${policy.space}\tunverified`,
    algorithm: "sliding-window",
    limit: Math.min(units ?? factor * policy.limit, largest),
    window: policy.window,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: false,
    shadow: policy.shadow,
    countRefused: policy.countRefused,
    ban: policy.ban,
    onStoreError: policy.onStoreError,
  });
}
