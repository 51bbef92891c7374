import type { z } from "zod";
import type { AlgorithmName } from "./algorithms/index.ts";
import { algorithms } from "./algorithms/index.ts";
import type { Awaitable } from "./awaitable.ts";
import { type BanOptions, banField, banIssues } from "./ban.ts";
import { type CalendarUnit, isTimeZone } from "./calendar.ts";
import { type Duration, longestDuration, parseDuration } from "./duration.ts";
import { type ConfigIssue, received } from "./errors.ts";
import { aFunction, expecting, isFunction, oneOf, trueOrFalse, wholeFromOne } from "./expecting.ts";
import { isWhole } from "./whole.ts";

/** How much, over which time, at what cost. `Req` is what a framework hands over; without HTTP there is none. */
export interface PolicyOptions<Req = undefined> {
  /** Whole units per window, 0 or more (0 refuses everything), or a function of the request. */
  readonly limit: number | ((req: Req) => Awaitable<number>);
  /** Milliseconds, a text such as `"1m"`, or with a fixed window a calendar `"day"` or `"month"`. */
  readonly window: Duration | CalendarUnit;
  /** Printable ASCII, unique in the limiter. Default `"default"`. */
  readonly name?: string | undefined;
  /** Default `"sliding-window"`. */
  readonly algorithm?: AlgorithmName | undefined;
  /** Buckets: the most units at once. Default: the limit. */
  readonly burst?: number | undefined;
  /** Sliding window: how many sub-windows to count, 1 to 100. Default 1. */
  readonly segments?: number | undefined;
  /** Fixed window: where windows start. Default `"clock"`. */
  readonly align?: "clock" | "first-request" | undefined;
  /** Fixed window of a calendar unit: its IANA zone. Default `"UTC"`. */
  readonly timeZone?: string | undefined;
  /** Leaky bucket: `false` meters without holding. Default `true`. */
  readonly delay?: boolean | undefined;
  /** Whole units of one request, 0 or more (0 only looks), or a function of the request. Default 1. */
  readonly cost?: number | ((req: Req) => Awaitable<number>) | undefined;
  /** Exempts a request from this policy; only `true` skips. */
  readonly skip?: ((req: Req) => Awaitable<boolean>) | undefined;
  /** Decides and reports, and never refuses. Default `false`. */
  readonly shadow?: boolean | undefined;
  /** Charges refused requests too. Default `false`. */
  readonly countRefused?: boolean | undefined;
  /** Blocks a key that was refused too often, each time for longer. Default: nobody is blocked. */
  readonly ban?: BanOptions<Req> | undefined;
  /** What happens when the store cannot answer; the limiter's option is the default. */
  readonly onStoreError?: "open" | "closed" | undefined;
}

const wholeOrFunction = expecting(
  "a whole number from 0 to 2^53 - 1, or a function",
  (value) => isWhole(value) || isFunction(value),
);

export const policyName: z.ZodType = expecting(
  "a text of 1 to 128 printable ASCII characters",
  isName,
);

/** The fields of a policy that need no HTTP, for strict object schemas. */
export const policyFields: Readonly<Record<string, z.ZodType>> = {
  limit: wholeOrFunction,
  window: expecting(
    `whole milliseconds from 1 to ${longestDuration}, a text like "250ms", "10s", "1m", "1h" or "1d", or "day" or "month"`,
    (value) => value === "day" || value === "month" || parseDuration(value) !== undefined,
  ),
  name: policyName.optional(),
  algorithm: oneOf(...(Object.keys(algorithms) as AlgorithmName[])).optional(),
  burst: wholeFromOne.optional(),
  segments: expecting(
    "a whole number from 1 to 100",
    (v) => isWhole(v) && v >= 1 && v <= 100,
  ).optional(),
  align: oneOf("clock", "first-request").optional(),
  timeZone: expecting('an IANA time zone such as "Europe/Berlin"', isTimeZone).optional(),
  delay: trueOrFalse.optional(),
  cost: wholeOrFunction.optional(),
  skip: aFunction.optional(),
  shadow: trueOrFalse.optional(),
  countRefused: trueOrFalse.optional(),
  ban: banField.optional(),
  onStoreError: oneOf("open", "closed").optional(),
};

/** Options that mean something to some algorithms only. */
const belongs: Readonly<Record<string, readonly AlgorithmName[]>> = {
  burst: ["token-bucket", "leaky-bucket"],
  segments: ["sliding-window"],
  align: ["fixed-window"],
  timeZone: ["fixed-window"],
  delay: ["leaky-bucket"],
};

/** Finds options that contradict each other in policies whose values are each right. */
export function contradictions(policy: PolicyOptions<never>, path: string): ConfigIssue[] {
  const algorithm = policy.algorithm ?? "sliding-window";
  const issues = policy.ban ? banIssues(policy.ban, `${path}ban.`) : [];
  for (const [option, owners] of Object.entries(belongs)) {
    const value = policy[option as keyof PolicyOptions];
    if (value === undefined || owners.includes(algorithm)) continue;
    const expected = `this option only with algorithm ${owners.map((o) => JSON.stringify(o)).join(" or ")}`;
    issues.push({
      path: path + option,
      expected,
      received: `it with ${JSON.stringify(algorithm)}`,
    });
  }
  const calendar = policy.window === "day" || policy.window === "month";
  if (calendar && algorithm !== "fixed-window") {
    const expected = 'a duration, or algorithm "fixed-window" for calendar windows';
    issues.push({ path: `${path}window`, expected, received: received(policy.window) });
  }
  if (calendar && policy.align === "first-request") {
    const expected = 'a duration with align "first-request"';
    issues.push({ path: `${path}window`, expected, received: received(policy.window) });
  }
  if (!calendar && policy.timeZone !== undefined) {
    const expected = 'window "day" or "month" with a timeZone';
    issues.push({ path: `${path}window`, expected, received: received(policy.window) });
  }
  return issues;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && /^[\x20-\x7e]{1,128}$/.test(value);
}
