import { longestTimer } from "../../longest-timer.ts";

/** Runs something after so many milliseconds, and answers how to prevent it. */
export type After = (ms: number, run: () => void) => () => void;

/** Waits by the machine's timers, which keep no process alive. */
export const after: After = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, longestTimer));
  timer.unref();
  return () => clearTimeout(timer);
};
