import { createPolicy, type Policy } from "../policy.ts";

const ceilings = new WeakMap<Policy, Policy>();

/** How many times a policy's limit an address may use with API keys that nobody verified. */
const factor = 10;

/**
 * The policy that an address pays by for all the unverified API keys that it sends: whoever invents a key per request
 * would else get an allowance per request. It weighs a sliding window, whatever the policy's own algorithm.
 */
export function ceilingOf(policy: Policy, units: number | undefined): Policy {
  const known = ceilings.get(policy);
  if (known) return known;
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / (2 * policy.window));
  const ceiling = createPolicy({
    name: policy.name,
    space: `${policy.space} unverified`,
    algorithm: "sliding-window",
    limit: Math.min(units ?? factor * policy.limit, largest),
    window: policy.window,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: false,
    shadow: policy.shadow,
    countRefused: policy.countRefused,
    onStoreError: policy.onStoreError,
  });
  ceilings.set(policy, ceiling);
  return ceiling;
}
