import type { z } from "zod";
import { valueAt } from "./value-at.ts";

type Given = Readonly<Record<PropertyKey, unknown>>;

/**
 * Returns a view of options without the undefined values under unknown names that the issues report; undefined when
 * there are none.
 */
export function withoutLeftOut<Options>(
  issues: readonly z.core.$ZodIssue[],
  options: Options,
): Options | undefined {
  let rest: Options | undefined;
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const owner = valueAt(options, issue.path) as Given;
    const names = issue.keys.filter((key) => owner[key] === undefined && key in owner);
    if (names.length > 0) rest = withoutAt(rest ?? options, issue.path, new Set(names));
  }
  return rest;
}

function withoutAt<Value>(
  value: Value,
  [name, ...path]: readonly PropertyKey[],
  names: ReadonlySet<PropertyKey>,
): Value {
  const given = value as Given;
  if (name === undefined) return shown(given, names, new Map()) as Value;
  const inner = withoutAt(given[name], path, names);
  return (
    Array.isArray(given)
      ? given.with(Number(name), inner)
      : shown(given, new Set(), new Map([[name, inner]]))
  ) as Value;
}

/**
 * Returns a view of an object without some names, and with other values under others. Reads everything else from the
 * object itself: its options may be accessors of a class that use private fields.
 */
function shown(
  given: Given,
  without: ReadonlySet<PropertyKey>,
  instead: ReadonlyMap<PropertyKey, unknown>,
): object {
  const names = new Set<string>();
  for (const key in given) if (!without.has(key)) names.add(key);
  const read = (key: PropertyKey): unknown =>
    without.has(key) ? undefined : instead.has(key) ? instead.get(key) : given[key];
  return new Proxy(
    {},
    {
      get: (_, key) => read(key),
      has: (_, key) => !without.has(key) && key in given,
      ownKeys: () => [...names],
      getOwnPropertyDescriptor: (_, key) =>
        names.has(key as string)
          ? { value: read(key), enumerable: true, configurable: true }
          : undefined,
    },
  );
}
