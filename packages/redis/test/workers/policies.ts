import type { AlgorithmName, PolicyOptions } from "@spillway/core";

/** Returns a policy that refuses and one that never would; both so slow that neither changes while a test runs. */
export function policiesOf(
  algorithm: AlgorithmName,
  limit: number,
): (PolicyOptions & { name: string })[] {
  return [
    { name: `${algorithm} narrow`, algorithm, limit, window: "30d" },
    { name: `${algorithm} wide`, algorithm, limit: 2 * limit, window: "30d" },
  ];
}
