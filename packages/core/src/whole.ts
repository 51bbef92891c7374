import { ConfigError, received } from "./errors.ts";

/** Tells whether a value is a whole number from 0 to 2^53 - 1. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Passes on such a number, as a function or a caller gave it; throws a `ConfigError` for anything else. */
export function wholeOf(value: unknown, path: string): number {
  if (isWhole(value)) return value;
  const expected = "a whole number from 0 to 2^53 - 1";
  throw new ConfigError([{ path, expected, received: received(value) }]);
}
