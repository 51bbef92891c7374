import { z } from "zod";
import { type Duration, day, durationHint, longestDuration, parseDuration } from "../duration.ts";
import { type ConfigIssue, received } from "../errors.ts";
import { expecting, trueOrFalse, wholeFromOne } from "../options/expecting.ts";

/** Blocks a key that a policy has refused too often, longer each time with a `factor` above 1. */
export interface BanOptions {
  /** Refusals that start a ban, 1 or more. Default 1. */
  readonly after?: number | undefined;
  /** The period in which they are counted, from the first on. Default: the policy's window. */
  readonly within?: Duration | undefined;
  /** Length of the first ban. */
  readonly for: Duration;
  /** How many times longer each further ban is than the one before, 1 or more. Default 1. */
  readonly factor?: number | undefined;
  /** Maximum length of a ban, at least `for`. Default: `"1d"`, or `for` if that is longer. */
  readonly ceiling?: Duration | undefined;
  /** Whether each request during a ban starts the next one. Default `false`: retrying changes nothing. */
  readonly extend?: boolean | undefined;
}

/** A validated ban, in whole milliseconds. */
export interface Ban {
  readonly after: number;
  /** Undefined: the policy's window. */
  readonly within: number | undefined;
  /**
   * Lengths of the first ban, the second and so on, each longer than the one before; the last applies to all later
   * bans.
   */
  readonly durations: readonly number[];
  readonly extend: boolean;
}

/** Maximum number of ban lengths: a policy carries them all. */
const maxSteps = 64;

const duration = expecting(
  `whole milliseconds from 1 to ${longestDuration}, or a string like "10s", "1m", "1h" or "1d"`,
  (value) => parseDuration(value) !== undefined,
  durationHint,
);

/** The fields of a ban, for strict object schemas. */
export const banShape: Readonly<Record<string, z.ZodType>> = {
  after: wholeFromOne.optional(),
  within: duration.optional(),
  for: duration,
  factor: expecting(
    "a number of at least 1",
    (v) => typeof v === "number" && v >= 1 && v < Infinity,
  ).optional(),
  ceiling: duration.optional(),
  extend: trueOrFalse.optional(),
};

/** The schema of the `ban` option. */
export const banSchema: z.ZodType = z.strictObject(banShape);

/** Compiles the validated options of a ban. */
export function banOf(options: BanOptions): Ban {
  const { after = 1, within, extend = false } = options;
  return {
    after,
    within: parseDuration(within),
    durations: durationsOf(options),
    extend,
  };
}

/**
 * Returns the contradictions in a ban whose values are valid on their own. `path` is, for example, `policies[1].ban.`.
 */
export function banIssues(options: BanOptions, path: string): ConfigIssue[] {
  const [shortest, longest] = boundsOf(options);
  if (longest < shortest) {
    const expected = `at least what for says, ${shortest} ms`;
    return [{ path: `${path}ceiling`, expected, received: received(options.ceiling) }];
  }
  if (options.factor === undefined || options.factor === 1) return [];
  if (durationsOf(options).at(-1) === longest) return [];
  const least = Math.ceil((longest / shortest) ** (1 / (maxSteps - 1)) * 1000) / 1000;
  const expected = `1, or at least ${least}, by which ${maxSteps} bans grow to the ceiling of ${longest} ms`;
  return [{ path: `${path}factor`, expected, received: received(options.factor) }];
}

function boundsOf(options: BanOptions): [shortest: number, longest: number] {
  const shortest = parseDuration(options.for)!;
  return [shortest, parseDuration(options.ceiling) ?? Math.max(day, shortest)];
}

/** Returns every length of a ban, shortest first; a single one without growth. */
function durationsOf(options: BanOptions): number[] {
  const [shortest, longest] = boundsOf(options);
  const { factor = 1 } = options;
  const durations = [shortest];
  for (let i = 1, last = shortest; i < maxSteps && factor > 1 && last < longest; i++) {
    const next = Math.min(longest, Math.round(shortest * factor ** i));
    if (next > last) durations.push(next);
    last = next;
  }
  return durations;
}
