import { ConfigError, received } from "./errors.ts";
import { numberHint, wholeOf } from "./whole.ts";

/** What a request costs, in whole units: in every policy, or in each of those that are named. */
export type Units = number | Readonly<Record<string, number>>;

/** Such a cost as it was when it was read. */
export type UnitsRead = number | ReadonlyMap<string, number>;

/** Reads a cost once, which is called `path`. Throws a `ConfigError` for what is none. */
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

/** Throws a `ConfigError` that names each policy that a cost is said for and that is not known. */
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

/** A cost in one policy; undefined where nothing is said of it. */
export function unitsIn(units: UnitsRead | undefined, policy: string): number | undefined {
  return typeof units === "object" ? units.get(policy) : units;
}
