/** A duration: whole milliseconds, or a string such as `"250ms"`, `"10s"`, `"1.5h"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d" | "w"}`;

const milliseconds = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
} as const;

/** A day of 24 hours, milliseconds. */
export const day: number = milliseconds.d;

/**
 * The longest duration: 36500 days in milliseconds, a hundred years. A present-day clock plus thirty such windows still
 * has the 14 digits that Lua writes without rounding, and is far below 2^53.
 */
export const longestDuration: number = 36_500 * milliseconds.d;

/** Matches strings that are durations: a number, its decimals, the unit. */
export const durationPattern: RegExp = /^(\d{1,16})(?:\.(\d{1,9}))?(ms|s|m|h|d|w)$/;

/**
 * Parses a duration to whole milliseconds, 1 to `longestDuration`. Undefined for anything else: other units, spaces,
 * signs, exponents, digits without a unit, and fractions of a millisecond.
 */
export function parseDuration(value: unknown): number | undefined {
  const ms = read(value);
  return ms !== undefined && ms >= 1 && ms <= longestDuration ? ms : undefined;
}

/** Returns a hint at the duration that an invalid string means (`"1m"` for `"1 minute"`); "" when unclear. */
export function durationHint(value: unknown): string {
  const match = typeof value === "string" ? /^(\d{0,12})\s*([a-z]*)$/i.exec(value.trim()) : null;
  if (!match || match[0] === "") return "";
  const [, count = "", word = ""] = match;
  // A small bare number was meant as seconds, a larger one as milliseconds.
  const unit =
    word === ""
      ? Number(count) < 1000
        ? "s"
        : "ms"
      : Object.entries(unitWords).find(([, words]) => words.test(word))?.[0];
  const meant = (count || "1") + unit;
  if (unit === undefined || parseDuration(meant) === undefined) return "";
  const told = JSON.stringify(meant);
  return word === "" ? ` (a string needs a unit: ${told})` : ` (did you mean ${told}?)`;
}

const unitWords: Readonly<Record<keyof typeof milliseconds, RegExp>> = {
  ms: /^(ms|msecs?|millis|milliseconds?)$/i,
  s: /^(s|secs?|seconds?)$/i,
  m: /^(m|mins?|minutes?)$/i,
  h: /^(h|hrs?|hours?)$/i,
  d: /^(d|days?)$/i,
  w: /^(w|weeks?)$/i,
};

function read(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const match = durationPattern.exec(value);
  if (!match) return undefined;
  const [, whole = "", fraction = "", unit] = match;
  // In floats 1.001 × 1000 is not a whole number.
  const scaled = BigInt(whole + fraction) * BigInt(milliseconds[unit as keyof typeof milliseconds]);
  const scale = 10n ** BigInt(fraction.length);
  return scaled % scale === 0n ? Number(scaled / scale) : undefined;
}
