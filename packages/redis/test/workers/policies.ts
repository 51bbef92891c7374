import type { AlgorithmName, PolicyOptions } from "@spillway/core";

/** A policy that refuses and one that never would; so slow that neither moves on while a test runs. */
export function policiesOf(
  algorithm: AlgorithmName,
  limit: number,
): (PolicyOptions & { name: string })[] {
  return [
    { name: `${algorithm} narrow`, algorithm, limit, window: "30d" },
    { name: `${algorithm} wide`, algorithm, limit: 2 * limit, window: "30d" },
  ];
}
