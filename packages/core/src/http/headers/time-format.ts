import type { WriteValue } from "./header-field.ts";
import { maxInteger, sfSeconds } from "./structured-field.ts";

/** The names of the time formats. */
export const timeFormats = ["epoch", "delta", "duration", "rfc3339", "http-date"] as const;

/** How a header expresses the time of a reset: as a point in time, or from now on. */
export type TimeFormat = (typeof timeFormats)[number];

/** The last second that dates of RFC 3339 and of HTTP can express. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Creates the writer of the time when a key will be as good as never used.
 *
 * The result is never before that time, and later by less than one unit of the last digit. `decimals`, 0 to 3, are
 * those of a second; default 0, for a duration 3. A duration leaves out trailing zeros, and is `6m0s`, `2m59.56s` or
 * `250ms`. Dates of HTTP have whole seconds.
 */
export function resetWriter(format: TimeFormat, decimals?: number): WriteValue {
  const digits = decimals ?? 0;
  const seconds = sfSeconds(digits);
  const step = 10 ** (3 - digits);
  switch (format) {
    case "epoch":
      return (status, now) => seconds(now + status.resetAfter);
    case "delta":
      return (status) => seconds(status.resetAfter);
    case "duration": {
      const part = decimals === undefined ? 1 : step;
      return (status) => durationText(ceiling(status.resetAfter, part, maxInteger));
    }
    case "rfc3339": {
      const end = digits === 0 ? 19 : 20 + digits;
      return dateWriter(step, (date) => `${date.toISOString().slice(0, end)}Z`);
    }
    case "http-date":
      return dateWriter(1000, (date) => date.toUTCString());
  }
}

/** Formats a date only if it changed: many requests in a window share one. */
function dateWriter(step: number, text: (date: Date) => string): WriteValue {
  let written = -1;
  let last = "";
  return (status, now) => {
    const moment = ceiling(now + status.resetAfter, step, lastMoment);
    if (moment !== written) {
      last = text(new Date(moment));
      written = moment;
    }
    return last;
  };
}

/** Rounds milliseconds up to a whole step, from 0 to `most`; NaN is 0. */
function ceiling(ms: number, step: number, most: number): number {
  return Math.min(most, Math.max(0, Math.ceil(ms / step) * step || 0));
}

function durationText(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${secondsText(ms % 60_000)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

const fractions = [0, 1, 2, 3].map(sfSeconds);

function secondsText(ms: number): string {
  const digits = ms % 1000 === 0 ? 0 : ms % 100 === 0 ? 1 : ms % 10 === 0 ? 2 : 3;
  return fractions[digits]!(ms);
}
