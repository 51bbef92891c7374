import { longestTimer } from "../../longest-timer.ts";

/** Calls a function after so many milliseconds; returns a function that cancels it. */
export type After = (ms: number, run: () => void) => () => void;

/** Waits using timers that do not keep the process alive. */
export const after: After = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, longestTimer));
  timer.unref();
  return () => clearTimeout(timer);
};
