import { ConfigError, received } from "@spillway/core";
import { nameOf, type RouteFacts } from "./route-facts.ts";

/**
 * Throws a `ConfigError` if a route puts its limit where nothing reads it, so that the plugin's would apply: beside
 * `config`, or in it under `rateLimit` in another case or with a separator between the words.
 */
export function checkOverridePlace(options: object, config: object, route: RouteFacts): void {
  const issues = [...alike(config, "config."), ...alike(options, "")].map(([path, value]) => ({
    path: `${path} of ${nameOf(route)}`,
    expected: "none: a route's own limit stands in config.rateLimit",
    received: received(value),
  }));
  if (issues.length > 0) throw new ConfigError(issues);
}

/** Whether a value is one that Spillway would read, and other packages hardly would. */
function isLimit(value: unknown): boolean {
  return value === false || (typeof value === "object" && value !== null);
}

function alike(options: object, at: string): (readonly [path: string, value: unknown])[] {
  const meant = Object.entries(options).filter(
    ([name, value]) => isLimit(value) && /^rate[-_]?limit$/i.test(name),
  );
  return meant.map(([name, value]) => [`${at}${name}`, value]);
}
