import { createPolicy, type Policy, type PolicySettings } from "@spillway/core";

/**
 * Creates a policy, by default a fixed window of five an hour from the first request, so that no test meets an edge.
 */
export function policyOf(settings: Partial<PolicySettings> = {}): Policy {
  const { name = "p" } = settings;
  return createPolicy({
    name,
    space: name,
    algorithm: "fixed-window",
    limit: 5,
    window: 3_600_000,
    timeZone: "UTC",
    segments: 1,
    align: "first-request",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
    ...settings,
  });
}
