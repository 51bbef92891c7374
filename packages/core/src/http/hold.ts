import type { ServerResponse } from "node:http";

/** The longest timer that Node keeps; one millisecond more fires at once. */
const longest = 2 ** 31 - 1;

/**
 * Waits `ms` milliseconds, and answers whether the client is still there. A client that goes away frees the timer at
 * once.
 */
export function hold(res: ServerResponse, ms: number): Promise<boolean> {
  if (hasLeft(res)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const left = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(
      () => {
        res.off("close", left);
        resolve(true);
      },
      Math.min(ms, longest),
    );
    res.once("close", left);
  });
}

/** Whether the answer has nobody to go to any more. */
export function hasLeft(res: ServerResponse): boolean {
  return res.destroyed || res.closed || res.socket?.destroyed === true;
}
