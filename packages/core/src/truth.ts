import { ConfigError, received } from "./errors.ts";

/**
 * Reads the result of a user's predicate: only `true` holds, null and undefined do not; throws on any other
 * non-boolean.
 */
export function truthOf(value: unknown, path: string): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value === true;
  throw new ConfigError([{ path, expected: "true or false", received: received(value) }]);
}
