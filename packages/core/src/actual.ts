import { ConfigError, received } from "./errors.ts";
import { wholeOf } from "./whole.ts";

/** What a request really cost, in whole units: in every policy, or in each of those that are named. */
export type Actual = number | Readonly<Record<string, number>>;

/** Such a cost as it was when it was read. */
export type KnownActual = number | ReadonlyMap<string, number>;

/** Reads such a cost once. Throws a `ConfigError` for anything else. */
export function readActual(actual: unknown): KnownActual {
  if (typeof actual === "number") return wholeOf(actual, "actual");
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
    const expected = "a whole number from 0 to 2^53 - 1, or one for each policy by its name";
    throw new ConfigError([{ path: "actual", expected, received: received(actual) }]);
  }
  return new Map(
    Object.entries(actual).map(([name, units]) => [name, wholeOf(units, `actual.${name}`)]),
  );
}

/** What a request cost in one policy; undefined where nothing is said of it. */
export function actualOf(actual: KnownActual, policy: string): number | undefined {
  return typeof actual === "number" ? actual : actual.get(policy);
}
