import { algorithms, banningAlgorithms, ConfigError, received } from "@spillway/core";

const known = [...Object.values(algorithms), ...Object.values(banningAlgorithms)];
/** The distinct algorithms in Lua. */
export const twins: readonly string[] = [...new Set(known.map(({ lua }) => lua.table))];

const places: ReadonlyMap<string, number> = new Map(
  known.map(({ name, lua }) => [name, twins.indexOf(lua.table) + 1]),
);

/**
 * Returns the index of an algorithm's twin in the script, from 1; algorithms that decide alike share one. Throws a
 * `ConfigError` for an algorithm that the script does not know.
 */
export function placeOfTwin(algorithm: string): number {
  const place = places.get(algorithm);
  if (place !== undefined) return place;
  const expected = `an algorithm of this library: ${[...places.keys()].join(", ")}`;
  throw new ConfigError([{ path: "algorithm", expected, received: received(algorithm) }]);
}
