/** A length of time: whole milliseconds, or a text such as `"250ms"`, `"10s"`, `"1.5h"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d" | "w"}`;

const milliseconds = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
} as const;

/**
 * Bounds a duration: 36500 days in milliseconds, a hundred years. A clock of today plus thirty such windows still has
 * the 14 digits that Lua writes without rounding, and is far below 2^53.
 */
export const longestDuration: number = 36_500 * milliseconds.d;

/**
 * Reads a duration as whole milliseconds, 1 to `longestDuration`. `undefined` for everything else: other units, spaces,
 * signs, exponents, digits without a unit, and fractions that are no whole millisecond.
 */
export function parseDuration(value: unknown): number | undefined {
  const ms = read(value);
  return ms !== undefined && ms >= 1 && ms <= longestDuration ? ms : undefined;
}

/** Says why `parseDuration` refuses a value, as `expected …, received …`; `undefined` where it does not. */
export function durationProblem(value: unknown): string | undefined {
  const ms = read(value);
  if (ms !== undefined && ms > longestDuration) {
    return `expected at most ${describeDuration(longestDuration)}, received ${shown(value)}`;
  }
  if (ms !== undefined && ms >= 1) return undefined;
  return `expected whole milliseconds of at least 1, or text like "250ms", "10s", "1m", "1h" or "1d", received ${shown(value)}`;
}

/**
 * Writes whole milliseconds as the text with the largest unit, up to days, that divides them: 90000 is `"90s"`. What it
 * writes, `parseDuration` reads back.
 */
export function describeDuration(ms: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (ms % milliseconds[unit] === 0) return `${ms / milliseconds[unit]}${unit}`;
  }
  return `${ms}ms`;
}

function read(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const match = /^(\d{1,16})(?:\.(\d{1,9}))?(ms|[smhdw])$/.exec(value);
  if (!match) return undefined;
  const [, whole = "", fraction = "", unit] = match;
  // In floats 1.001 × 1000 is no whole number.
  const scaled = BigInt(whole + fraction) * BigInt(milliseconds[unit as keyof typeof milliseconds]);
  const scale = 10n ** BigInt(fraction.length);
  return scaled % scale === 0n ? Number(scaled / scale) : undefined;
}

function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  }
  if (typeof value === "number" || value == null) return String(value);
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
