import { longestTimer } from "../../longest-timer.ts";
import { hasLeft, type ResponseLike, whenOver } from "./departure.ts";

/**
 * Waits `ms` milliseconds, and resolves to whether the client is still there. A client that leaves frees the timer at
 * once.
 */
export function hold(res: ResponseLike, ms: number): Promise<boolean> {
  if (hasLeft(res)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        stop();
        resolve(true);
      },
      Math.min(ms, longestTimer),
    );
    const stop = whenOver(res, () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
