import type { z } from "zod";
import type { AlgorithmName } from "../algorithms/index.ts";
import { durationHint, longestDuration, parseDuration } from "../duration.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { expecting, isFunction } from "../options/expecting.ts";
import type { CalendarUnit } from "./calendar.ts";

/** The options of a policy that restrict its windows. */
export interface WindowTerms {
  readonly algorithm?: AlgorithmName | undefined;
  readonly align?: "clock" | "first-request" | undefined;
}

const windowText = `whole milliseconds from 1 to ${longestDuration}, a string like "250ms", "10s", "1m", "1h" or "1d", or "day" or "month"`;

/** The schema of the `window` option. */
export const windowSchema: z.ZodType = expecting(
  `${windowText}, or a function`,
  (value) => readWindow(value) !== undefined || isFunction(value),
  windowHint,
);

function windowHint(value: unknown): string {
  if (typeof value !== "string") return "";
  const [, count, unit = ""] = /^(\d*)\s*(M|day|mon|months?)$/i.exec(value) ?? [];
  if (count === "" && isCalendarWindow(unit.toLowerCase())) {
    return ` (did you mean "${unit.toLowerCase()}"?)`;
  }
  if (unit === "M" || /^mon/i.test(unit))
    return ' ("m" is a minute, and "month" one of the calendar)';
  return durationHint(value);
}

/** Parses a window to whole milliseconds or a calendar unit; undefined for anything else. */
export function readWindow(value: unknown): number | CalendarUnit | undefined {
  return isCalendarWindow(value) ? value : parseDuration(value);
}

/** Returns a window that a function of the options returned; throws a `ConfigError` if it is invalid. */
export function windowOf(value: unknown, policy: WindowTerms, path: string): number | CalendarUnit {
  const window = readWindow(value);
  if (window === undefined) {
    const expected = windowText + windowHint(value);
    throw new ConfigError([{ path, expected, received: received(value) }]);
  }
  const issues = windowIssues(policy, window, path);
  if (issues.length > 0) throw new ConfigError(issues);
  return window;
}

/** Returns the contradictions between a valid window and the rest of a policy. */
export function windowIssues(
  { algorithm = "sliding-window", align }: WindowTerms,
  window: unknown,
  path: string,
): ConfigIssue[] {
  if (!isCalendarWindow(window)) return [];
  const issues: ConfigIssue[] = [];
  if (algorithm !== "fixed-window") {
    const expected = 'a duration, or algorithm "fixed-window" for calendar windows';
    issues.push({ path, expected, received: received(window) });
  }
  if (align === "first-request") {
    const expected = 'a duration with align "first-request"';
    issues.push({ path, expected, received: received(window) });
  }
  return issues;
}

/** Whether a window is a calendar unit. */
export function isCalendarWindow(value: unknown): value is CalendarUnit {
  return value === "day" || value === "month";
}
