import { isPromise } from "../awaitable.ts";
import { ConfigError, received } from "../errors.ts";

/** Throws a `ConfigError` for what cannot be a decision. */
export function checkDecision(decision: unknown): void {
  if (typeof decision === "object" && decision !== null && !isPromise(decision)) return;
  const expected = "a decision of this limiter";
  throw new ConfigError([{ path: "decision", expected, received: received(decision) }]);
}

/**
 * Throws a `ConfigError` for options of a call that have other names than these: a misspelt cost would be a cost of 1.
 * Looks at no value, but for undefined, which is as if left out.
 */
export function checkNames(options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError([{ path: "", expected: "an object", received: received(options) }]);
  }
  for (const name of Object.keys(options)) {
    // What is known is read once, by whoever uses it.
    const given = names.includes(name) ? undefined : (options as Record<string, unknown>)[name];
    if (given === undefined) continue;
    const expected = `a known option: ${names.join(", ").replace(/, (?=\w+$)/, " or ")}`;
    throw new ConfigError([
      { path: name, expected, received: `${received(given)} under this name` },
    ]);
  }
}
