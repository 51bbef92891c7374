import { ConfigError, received } from "./errors.ts";

/** Reads what a user's predicate answered: only `true` holds, and what is neither that nor nothing is an error. */
export function truthOf(value: unknown, path: string): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value === true;
  throw new ConfigError([{ path, expected: "true or false", received: received(value) }]);
}
