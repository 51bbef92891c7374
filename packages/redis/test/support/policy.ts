import { createPolicy, type Policy, type PolicySettings } from "@spillway/core";

/** Makes a policy of a fixed window of five an hour, or as the settings say. */
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
    align: "clock",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
    ...settings,
  });
}
