import { isFunction } from "../expecting.ts";
import type { PolicyOptions } from "../policy-options.ts";
import { isCalendarWindow, readWindow } from "../window.ts";

/**
 * Tells what a bucket holds by the options of its policy, in words: equal for options that mean the same, however they
 * are written. Functions cannot be compared, and are taken at their word.
 */
export function policyMeaning(policy: PolicyOptions<never>): string {
  const { limit, window, algorithm = "sliding-window" } = policy;
  const { burst = limit, segments = 1, align = "clock", timeZone = "UTC", delay = true } = policy;
  const read = isFunction(window) ? window : readWindow(window);
  const told: Readonly<Record<string, unknown>> = {
    limit,
    window: typeof read === "number" ? `${read} ms` : read,
    algorithm,
    ...(algorithm.endsWith("-bucket") ? { burst } : {}),
    ...(algorithm === "leaky-bucket" ? { delay } : {}),
    ...(algorithm === "sliding-window" ? { segments } : {}),
    ...(algorithm === "fixed-window" ? { align } : {}),
    ...(isCalendarWindow(window) ? { timeZone } : {}),
  };
  return Object.entries(told)
    .map(([option, value]) => `${option} ${isFunction(value) ? "a function" : String(value)}`)
    .join(", ");
}
