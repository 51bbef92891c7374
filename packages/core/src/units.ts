import { ConfigError, received } from "./errors.ts";
import { numberHint, wholeOf } from "./whole.ts";

/** The cost of a request in whole units: for every policy, or for each named one. */
export type Units = number | Readonly<Record<string, number>>;

/** A validated copy of such a cost. */
export type UnitsRead = number | ReadonlyMap<string, number>;

/** Reads a cost once; `path` names it in errors. Throws a `ConfigError` for an invalid one. */
export function readUnits(units: unknown, path: string): UnitsRead {
  if (typeof units === "number") return wholeOf(units, path);
  const entries =
    typeof units === "object" && units !== null && !Array.isArray(units)
      ? Object.entries(units)
      : [];
  if (entries.length === 0) {
    const expected = `a whole number from 0 to 2^53 - 1, or one for each policy by its name${numberHint(units)}`;
    throw new ConfigError([{ path, expected, received: received(units) }]);
  }
  return new Map(entries.map(([name, own]) => [name, wholeOf(own, `${path}.${name}`)]));
}

/** Throws a `ConfigError` naming each unknown policy in a cost. */
export function checkNamesIn(units: UnitsRead, known: readonly string[], path: string): void {
  if (typeof units === "number") return;
  const unknown = [...units].filter(([name]) => !known.includes(name));
  if (unknown.length === 0) return;
  const expected = `the name of a policy: ${[...new Set(known)].join(", ")}`;
  throw new ConfigError(
    unknown.map(([name, own]) => ({
      path: `${path}.${name}`,
      expected,
      received: `${own} under this name`,
    })),
  );
}

/** Returns the cost for one policy; undefined when it has none. */
export function unitsIn(units: UnitsRead | undefined, policy: string): number | undefined {
  return typeof units === "object" ? units.get(policy) : units;
}
