/**
 * Turns a wait in milliseconds into the seconds of a Retry-After header.
 *
 * Rounds up, so that a client which waits as told is not early, to 1 at least and 2147483 at most:
 * clients multiply by 1000 into a 32-bit timer. `undefined` where no wait can help (`Infinity`).
 */
export function retryAfterSeconds(wait: number): number | undefined {
  if (wait === Number.POSITIVE_INFINITY || Number.isNaN(wait)) return undefined;
  return Math.min(longest, Math.max(1, Math.ceil(wait / 1000)));
}

const longest = 2_147_483;
