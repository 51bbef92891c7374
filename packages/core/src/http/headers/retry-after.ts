import { sfSeconds } from "./structured-field.ts";

/** How Retry-After is written: seconds with that many decimals, 0 to 3, or `false`: never. */
export type RetryAfterRule = false | { readonly decimals: number };

/**
 * Converts a wait in milliseconds to the seconds of a Retry-After header.
 *
 * Rounds up, so that a client that waits accordingly is not early, to at least 1 and at most 2147483: clients multiply
 * by 1000 into a 32-bit timer. `undefined` if no wait can help (`Infinity`).
 */
export function retryAfterSeconds(wait: number): number | undefined {
  if (wait === Number.POSITIVE_INFINITY || Number.isNaN(wait)) return undefined;
  return Math.min(maxRetryAfter, Math.max(1, Math.ceil(wait / 1000)));
}

/**
 * Returns the value of a Retry-After header for a wait in milliseconds: whole seconds, unless a rule says otherwise.
 *
 * Decimals are rounded up at the last digit, to at least one unit of it. `undefined` if there must be no header.
 */
export function retryAfterText(wait: number, rule?: RetryAfterRule): string | undefined {
  const seconds = retryAfterSeconds(wait);
  if (rule === false || seconds === undefined) return undefined;
  if (rule === undefined || rule.decimals === 0) return String(seconds);
  return sfSeconds(rule.decimals)(Math.min(maxRetryAfter * 1000, Math.max(1, wait)));
}

const maxRetryAfter = 2_147_483;
