import { sfSeconds } from "./structured-field.ts";

/** How Retry-After is written: seconds with so many digits behind the point, 0 to 3, or `false`: never. */
export type RetryAfterRule = false | { readonly decimals: number };

/**
 * Turns a wait in milliseconds into the seconds of a Retry-After header.
 *
 * Rounds up, so that a client which waits as told is not early, to 1 at least and 2147483 at most:
 * clients multiply by 1000 into a 32-bit timer. `undefined` where no wait can help (`Infinity`).
 */
export function retryAfterSeconds(wait: number): number | undefined {
  if (wait === Number.POSITIVE_INFINITY || Number.isNaN(wait)) return undefined;
  return Math.min(maxRetryAfter, Math.max(1, Math.ceil(wait / 1000)));
}

/**
 * Writes a wait in milliseconds as the value of a Retry-After header: whole seconds, unless a rule says otherwise.
 *
 * Decimals are rounded up at the last digit, to one unit of it at least. `undefined` where there is to be no header.
 */
export function retryAfterText(wait: number, rule?: RetryAfterRule): string | undefined {
  const seconds = retryAfterSeconds(wait);
  if (rule === false || seconds === undefined) return undefined;
  if (rule === undefined || rule.decimals === 0) return String(seconds);
  return sfSeconds(rule.decimals)(Math.min(maxRetryAfter * 1000, Math.max(1, wait)));
}

const maxRetryAfter = 2_147_483;
