import { ConfigError, received } from "./errors.ts";

/** Tells whether a value is a whole number from 0 to 2^53 - 1. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Passes on such a number, as a function or a caller gave it; throws a `ConfigError` for anything else. */
export function wholeOf(value: unknown, path: string): number {
  if (isWhole(value)) return value;
  const expected = `a whole number from 0 to 2^53 - 1${numberHint(value)}`;
  throw new ConfigError([{ path, expected, received: received(value) }]);
}

/** Says how to make a number of a string that is one, as those of the environment are; "" of anything else. */
export function numberHint(value: unknown): string {
  const isNumber = typeof value === "string" && /^\d+$/.test(value);
  return isNumber ? " (convert it: Number(…))" : "";
}
