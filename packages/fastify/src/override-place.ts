import { ConfigError, received } from "@spillway/core";
import { nameOf, type RouteFacts } from "./route-facts.ts";

/**
 * Throws a `ConfigError` where a route tells its limit in a place that nobody reads, and would go by the plugin's: beside
 * `config`, or in it under a name that is `rateLimit` but for its case and what parts its words.
 */
export function checkOverridePlace(options: object, config: object, route: RouteFacts): void {
  const issues = [...alike(config, "config."), ...alike(options, "")].map(([path, value]) => ({
    path: `${path} of ${nameOf(route)}`,
    expected: "none: a route's own limit stands in config.rateLimit",
    received: received(value),
  }));
  if (issues.length > 0) throw new ConfigError(issues);
}

/** Whether it says something that we would read, and that others hardly would. */
function isLimit(value: unknown): boolean {
  return value === false || (typeof value === "object" && value !== null);
}

function alike(options: object, at: string): (readonly [path: string, value: unknown])[] {
  const meant = Object.entries(options).filter(
    ([name, value]) => isLimit(value) && /^rate[-_]?limit$/i.test(name),
  );
  return meant.map(([name, value]) => [`${at}${name}`, value]);
}
