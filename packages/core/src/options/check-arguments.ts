import type { Decision } from "../decision.ts";
import { ConfigError, received } from "../errors.ts";
import { alternatives } from "./alternatives.ts";

/** Throws a `ConfigError` for a value that cannot be a decision. */
export function checkDecision(decision: unknown): void {
  if (typeof (decision as Partial<Decision> | null | undefined)?.allowed === "boolean") return;
  const expected = "a decision of this limiter";
  throw new ConfigError([{ path: "decision", expected, received: received(decision) }]);
}

/**
 * Throws a `ConfigError` for unknown options of a call: a misspelt `cost` would mean a cost of 1. Checks no value,
 * except that undefined counts as absent.
 */
export function checkNames(options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    const expected = `an object with ${alternatives(names)}`;
    throw new ConfigError([{ path: "", expected, received: received(options) }]);
  }
  for (const name of Object.keys(options)) {
    // A known option is read only once, where it is used.
    const given = names.includes(name) ? undefined : (options as Record<string, unknown>)[name];
    if (given === undefined) continue;
    const expected = `a known option: ${alternatives(names)}`;
    throw new ConfigError([
      { path: name, expected, received: `${received(given)} under this name` },
    ]);
  }
}
