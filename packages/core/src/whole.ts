import { ConfigError, received } from "./errors.ts";

/** Whether a value is a whole number from 0 to 2^53 - 1. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns a value that is such a number; throws a `ConfigError` for anything else. */
export function wholeOf(value: unknown, path: string): number {
  if (isWhole(value)) return value;
  const expected = `a whole number from 0 to 2^53 - 1${numberHint(value)}`;
  throw new ConfigError([{ path, expected, received: received(value) }]);
}

/** Returns a hint to convert a numeric string, such as one from the environment, to a number; "" for anything else. */
export function numberHint(value: unknown): string {
  const isNumber = typeof value === "string" && /^\d+$/.test(value);
  return isNumber ? " (convert it: Number(…))" : "";
}
