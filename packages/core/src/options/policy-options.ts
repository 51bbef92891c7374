import { z } from "zod";
import { type AlgorithmName, algorithms } from "../algorithms/index.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Duration } from "../duration.ts";
import { ConfigError, type ConfigIssue, received } from "../errors.ts";
import { type BanOptions, banIssues, banSchema } from "../policies/ban.ts";
import { type CalendarUnit, isTimeZone } from "../policies/calendar.ts";
import { aPolicyName, policyNamePattern } from "../policies/policy-name.ts";
import { isCalendarWindow, windowIssues, windowSchema } from "../policies/window.ts";
import { isWhole, numberHint } from "../whole.ts";
import {
  aFunction,
  expecting,
  expectingNumber,
  isFunction,
  oneOf,
  trueOrFalse,
} from "./expecting.ts";

/** How much, in which time, at what cost. `Req` is the framework's request; undefined without HTTP. */
export interface PolicyOptions<Req = undefined> {
  /** Whole units per window, 0 or more (0 refuses everything), or a function of the request. */
  readonly limit: number | ((req: Req) => Awaitable<number>);
  /** Milliseconds, a string such as `"1m"`, or with a fixed window a calendar `"day"` or `"month"`; or a function. */
  readonly window: Duration | CalendarUnit | ((req: Req) => Awaitable<Duration | CalendarUnit>);
  /** Returns one of `tiers` for a request; null, undefined and `""` mean none. */
  readonly tier?: ((req: Req) => Awaitable<string | null | undefined>) | undefined;
  /** Limits by tier name; what a tier omits is as without a tier. */
  readonly tiers?: Readonly<Record<string, TierOptions<Req>>> | undefined;
  /** Printable ASCII, unique in the limiter. Default `"default"`. */
  readonly name?: string | undefined;
  /** Default `"sliding-window"`. */
  readonly algorithm?: AlgorithmName | undefined;
  /** Buckets: maximum units at once, or a function of the request. Default: the limit. */
  readonly burst?: number | ((req: Req) => Awaitable<number>) | undefined;
  /** Sliding window: the number of sub-windows, 1 to 100. Default 1. */
  readonly segments?: number | undefined;
  /** Fixed window: where windows start. Default `"clock"`. */
  readonly align?: "clock" | "first-request" | undefined;
  /** Fixed window of a calendar unit: its IANA time zone. Default `"UTC"`. */
  readonly timeZone?: string | undefined;
  /** Leaky bucket: `false` measures without holding requests. Default `true`. */
  readonly delay?: boolean | undefined;
  /** Whole units per request, 0 or more (0 only looks), or a function of the request. Default 1. */
  readonly cost?: number | ((req: Req) => Awaitable<number>) | undefined;
  /** Exempts a request from this policy; only `true` skips. */
  readonly skip?: ((req: Req) => Awaitable<boolean | null | undefined>) | undefined;
  /** Decides and reports, but never refuses. Default `false`. */
  readonly shadow?: boolean | undefined;
  /** Charges refused requests too. Default `false`. */
  readonly countRefused?: boolean | undefined;
  /** Blocks a key that was refused too often, longer each time if `factor` says so. Default: no bans. */
  readonly ban?: BanOptions | undefined;
  /** Whether to admit or refuse requests when the store cannot answer. Default: the limiter's option. */
  readonly onStoreError?: "open" | "closed" | undefined;
}

/** The limit of a tier; each option as in a policy. */
export interface TierOptions<Req = undefined> {
  /** Whole units per window, 0 or more, or a function of the request. */
  readonly limit?: PolicyOptions<Req>["limit"] | undefined;
  /** Buckets: maximum units at once, or a function of the request. Default: the policy's, else the limit. */
  readonly burst?: PolicyOptions<Req>["burst"];
  /** Milliseconds, a string such as `"1m"`, or a calendar unit; or a function of the request. */
  readonly window?: PolicyOptions<Req>["window"] | undefined;
}

const wholeOrFunction = expecting(
  "a whole number from 0 to 2^53 - 1, or a function",
  (value) => isWhole(value) || isFunction(value),
  (value) =>
    value === Infinity ? " (of no limit: skip, or a rule with unlimited: true)" : numberHint(value),
);

/** The schema of a policy's name. */
export const policyName: z.ZodType = expecting(aPolicyName, isName);

const burstSchema = expectingNumber(
  "a whole number of at least 1, or a function",
  (value) => isBurst(value) || isFunction(value),
);

const tierSchema = z.strictObject({
  limit: wholeOrFunction.optional(),
  burst: burstSchema.optional(),
  window: windowSchema.optional(),
});

const tiersSchema = expecting(
  "an object of at least one tier, by their names",
  (v) => isPlain(v) && Object.keys(v as object).length > 0,
).pipe(z.record(z.string(), tierSchema));

/** The fields of a policy that need no HTTP, for strict object schemas. */
export const policyShape: Readonly<Record<string, z.ZodType>> = {
  limit: wholeOrFunction,
  window: windowSchema,
  tier: aFunction.optional(),
  tiers: tiersSchema.optional(),
  name: policyName.optional(),
  algorithm: oneOf(...(Object.keys(algorithms) as AlgorithmName[])).optional(),
  burst: burstSchema.optional(),
  segments: expectingNumber(
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
  ban: banSchema.optional(),
  onStoreError: oneOf("open", "closed").optional(),
};

/** Options that apply only to some algorithms. */
export const belongs: Readonly<Record<string, readonly AlgorithmName[]>> = {
  burst: ["token-bucket", "leaky-bucket"],
  segments: ["sliding-window"],
  align: ["fixed-window"],
  timeZone: ["fixed-window"],
  delay: ["leaky-bucket"],
};

/** Returns the contradictions among the options of a policy whose values are valid on their own. */
export function contradictions(policy: PolicyOptions<never>, path: string): ConfigIssue[] {
  const { algorithm = "sliding-window", window, timeZone, tier, tiers = {} } = policy;
  const issues = policy.ban ? banIssues(policy.ban, `${path}ban.`) : [];
  for (const [option, owners] of Object.entries(belongs)) {
    const value = policy[option as keyof PolicyOptions];
    if (value !== undefined) issues.push(...ownedBy(owners, algorithm, path + option));
  }
  issues.push(...windowIssues(policy, window, `${path}window`));
  for (const [name, own] of Object.entries(tiers)) {
    const at = `${path}tiers.${name}.`;
    if (own.burst !== undefined) issues.push(...ownedBy(belongs.burst!, algorithm, `${at}burst`));
    if (own.window !== undefined) issues.push(...windowIssues(policy, own.window, `${at}window`));
  }
  const windows = [window, ...Object.values(tiers).map((own) => own.window)];
  if (timeZone !== undefined && !windows.some((one) => isFunction(one) || isCalendarWindow(one))) {
    const expected = 'window "day" or "month" with a timeZone';
    issues.push({ path: `${path}window`, expected, received: received(window) });
  }
  if (tier !== undefined && policy.tiers === undefined) {
    const expected = "tiers, of which tier chooses one";
    issues.push({ path: `${path}tiers`, expected, received: "tier without them" });
  }
  return issues;
}

/** Returns a burst that a function of the options returned; throws a `ConfigError` if it is invalid. */
export function burstOf(value: unknown, path: string): number {
  if (isBurst(value)) return value;
  const expected = `a whole number of at least 1${numberHint(value)}`;
  throw new ConfigError([{ path, expected, received: received(value) }]);
}

function ownedBy(
  owners: readonly AlgorithmName[],
  algorithm: AlgorithmName,
  path: string,
): ConfigIssue[] {
  if (owners.includes(algorithm)) return [];
  const names = owners.map((owner) => JSON.stringify(owner)).join(" or ");
  const expected = `this option only with algorithm ${names}`;
  return [{ path, expected, received: `it with ${JSON.stringify(algorithm)}` }];
}

function isBurst(value: unknown): value is number {
  return isWhole(value) && value >= 1;
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && policyNamePattern.test(value);
}
