import { type Answer, hasLeft, whenOver } from "./departure.ts";

/** The longest timer that Node keeps; one millisecond more fires at once. */
export const longestHold: number = 2 ** 31 - 1;

/**
 * Waits `ms` milliseconds, and answers whether the client is still there. A client that goes away frees the timer at
 * once.
 */
export function hold(res: Answer, ms: number): Promise<boolean> {
  if (hasLeft(res)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        stop();
        resolve(true);
      },
      Math.min(ms, longestHold),
    );
    const stop = whenOver(res, () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
