import type { Algorithm, BanTerms, Params, Settings } from "./algorithm.ts";
import { type AlgorithmName, algorithms, banningAlgorithms } from "./algorithms/index.ts";
import { day } from "./duration.ts";
import { ConfigError, received } from "./errors.ts";
import type { Ban } from "./policies/ban.ts";
import { type CalendarUnit, calendarEdges, calendarEdgesAround } from "./policies/calendar.ts";

/** A validated policy in numbers: how much, in which time, by which algorithm. */
export interface Policy {
  /** The name in decisions and for clients. */
  readonly name: string;
  /** The name in stores. With `kind` it identifies the counters: policies that must not share any never share both. */
  readonly space: string;
  /** The algorithm's name for the meaning of the stored numbers. */
  readonly kind: string;
  readonly algorithm: Algorithm;
  /** Whole units per window. */
  readonly limit: number;
  /** Milliseconds; for a calendar window its usual length. */
  readonly window: number;
  /** Decides and reports, but never refuses. */
  readonly shadow: boolean;
  /** Charges refused requests too. */
  readonly countRefused: boolean;
  /** Whether to admit or refuse requests when the store cannot answer. */
  readonly onStoreError: "open" | "closed";
  /** What happens to a key refused too often. With a ban, refusals must reach the store. */
  readonly ban: Ban | undefined;
  /** The largest cost that can ever fit: the limit, or a bucket's burst. */
  readonly maxCost: number;
  /** The algorithm's numbers; only calendar windows depend on the time. */
  params(now: number): Params;
  /**
   * Returns the policy with a part of its limit and burst, above 0 and up to 1; at least one unit of each unless that
   * is 0.
   */
  share(part: number): Policy;
  /**
   * Returns the variant that charges a cost overrun afterwards: charges as much as fits, whatever other policies
   * decide, and never refuses. Memoized; returns itself on such a variant.
   */
  settling(): Policy;
  /**
   * Returns the variant for a tentative attempt: takes what fits and honours an active ban, but records no refusal.
   * Memoized; returns itself on such a variant or when the policy records none.
   */
  trying(): Policy;
}

/** Returns the name of a policy's counters within a store; policies that share counters share it. */
export function countersOf({ kind, space }: Pick<Policy, "kind" | "space">): string {
  return `${kind} ${space}`;
}

/** The settings of a policy, each validated on its own. */
export interface PolicySettings {
  readonly name: string;
  readonly space: string;
  readonly algorithm: AlgorithmName;
  readonly limit: number;
  readonly window: number | CalendarUnit;
  readonly timeZone: string;
  readonly burst?: number | undefined;
  readonly segments: number;
  readonly align: "clock" | "first-request";
  readonly delay: boolean;
  readonly shadow: boolean;
  readonly countRefused: boolean;
  readonly onStoreError: "open" | "closed";
  readonly ban?: Ban | undefined;
}

/** Which variant of a policy: for requests, for settling their cost, or for tentative attempts. */
type Role = "deciding" | "settling" | "trying";

/** Creates a policy. Throws a `ConfigError` naming the number that its algorithm cannot represent exactly. */
export function createPolicy(settings: PolicySettings, path = ""): Policy {
  return policyFor("deciding", settings, path);
}

function policyFor(role: Role, given: PolicySettings, path: string): Policy {
  const { name, space, limit, window, timeZone, shadow, countRefused } = given;
  const algorithm = (given.ban ? banningAlgorithms : algorithms)[given.algorithm];
  const unit = typeof window === "string" ? window : undefined;
  const settings = settingsOf(given, role);
  const problem = algorithm.problem(settings);
  if (problem) {
    const { option, expected } = problem;
    const value = option === "burst" && given.burst === undefined ? limit : settings[option];
    const named = option === "burst" && given.burst === undefined ? "limit" : option;
    throw new ConfigError([{ path: path + named, expected, received: received(value) }]);
  }
  const fixed = algorithm.params(settings);
  let settling: Policy | undefined;
  let trying: Policy | undefined;
  const policy: Policy = {
    name,
    space,
    kind: algorithm.kind(settings),
    algorithm,
    limit,
    window: settings.window,
    shadow,
    countRefused,
    onStoreError: given.onStoreError,
    ban: role === "deciding" ? given.ban : undefined,
    maxCost: limit === 0 ? 0 : settings.burst,
    params: unit ? calendarParams(algorithm, settings, unit, timeZone) : () => fixed,
    share: (part) => policyFor(role, shareOf(given, part), path),
    settling: () =>
      (settling ??= policyFor("settling", { ...given, shadow: true, countRefused: true }, path)),
    trying: () => (trying ??= policyFor("trying", { ...given, countRefused: false }, path)),
  };
  if (role === "settling") settling = policy;
  if (role === "trying" || !(countRefused || given.ban)) trying = policy;
  return policy;
}

function settingsOf(given: PolicySettings, role: Role = "deciding"): Settings {
  const { limit, window, burst = limit, segments, align, delay, countRefused } = given;
  const length = typeof window === "number" ? window : window === "day" ? day : 30 * day;
  return {
    limit,
    window: length,
    burst,
    segments,
    align,
    delay,
    countRefused,
    ban: given.ban && termsOf(given.ban, length, role),
  };
}

/** Overruns are charged even during a ban and never start one; tentative attempts never start one either. */
function termsOf(ban: Ban, window: number, role: Role): BanTerms {
  return { ...ban, after: signs[role] * ban.after, within: ban.within ?? window };
}

/** The sign of `after`, which tells the algorithm how a ban concerns the charge. */
const signs: Readonly<Record<Role, number>> = { deciding: 1, settling: 0, trying: -1 };

function shareOf(given: PolicySettings, part: number): PolicySettings {
  const scaled = (units: number): number => Math.min(units, Math.max(1, Math.floor(units * part)));
  const limit = scaled(given.limit);
  let burst = given.burst === undefined ? limit : scaled(given.burst);
  // A share that has no factor in common with the window needs larger numbers.
  while (algorithms[given.algorithm].problem(settingsOf({ ...given, limit, burst }))) {
    burst = Math.floor(burst / 2);
  }
  return { ...given, limit, burst };
}

/** Returns params that follow the calendar, recomputed once per window. */
function calendarParams(
  algorithm: Algorithm,
  settings: Settings,
  unit: CalendarUnit,
  zone: string,
): (now: number) => Params {
  let [start, end] = [0, 0];
  let params: Params = [];
  return (now) => {
    if (now < start || now >= end) {
      [start, end] = calendarEdges(unit, zone, now);
      // Stores keep no times before the epoch, where a test's clock may start.
      const edges = calendarEdgesAround(unit, zone, now).map((edge) => Math.max(0, edge));
      params = algorithm.params({ ...settings, edges });
    }
    return params;
  };
}
