import type { Algorithm, BanTerms, Params, Settings } from "./algorithm.ts";
import { type AlgorithmName, algorithms, banning } from "./algorithms/index.ts";
import { day } from "./duration.ts";
import { ConfigError, received } from "./errors.ts";
import type { Ban } from "./policies/ban.ts";
import { type CalendarUnit, calendarEdges, calendarEdgesAround } from "./policies/calendar.ts";

/** How much, over which time, by which algorithm: a policy, checked, in numbers. */
export interface Policy {
  /** What clients and decisions call it. */
  readonly name: string;
  /** What stores call it: with `kind`, two policies that must not share a counter never share this. */
  readonly space: string;
  /** What the numbers in a store mean. */
  readonly kind: string;
  readonly algorithm: Algorithm;
  /** Whole units per window. */
  readonly limit: number;
  /** Milliseconds; of a calendar window its usual length. */
  readonly window: number;
  /** Decides and reports, and never refuses. */
  readonly shadow: boolean;
  /** Charges refused requests too. */
  readonly countRefused: boolean;
  /** What a request gets when the store cannot answer. */
  readonly onStoreError: "open" | "closed";
  /** What happens to a key that it has refused too often: such refusals must reach the store. */
  readonly ban: Ban | undefined;
  /** The largest cost that can ever fit: the limit, or a bucket's burst. */
  readonly maxCost: number;
  /** The algorithm's numbers; only calendar windows depend on the time. */
  params(now: number): Params;
  /** The same policy with a part of its limit and burst, above 0 and up to 1; at least one unit of what is not 0. */
  share(part: number): Policy;
  /**
   * The same policy for what a request turned out to cost beyond what it reserved: charged as far as it fits, whatever
   * others say, and refused to nobody. Made once; of such a policy itself.
   */
  settling(): Policy;
  /**
   * The same policy for a request that may yet be let through or held where it does not fit: takes what fits, refuses
   * whom a ban blocks, and counts no refusal. Made once; of such a policy, and of one that counts none, itself.
   */
  trying(): Policy;
}

/** Names the counters of a policy within a store; policies that share them have one name for them. */
export function countersOf({ kind, space }: Pick<Policy, "kind" | "space">): string {
  return `${kind} ${space}`;
}

/** What a policy is made of, each value checked by itself already. */
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

/** For what a policy is asked: for requests, for what is settled of them, or for those that may yet be let through. */
type Role = "deciding" | "settling" | "trying";

/** Makes a policy, or throws a `ConfigError` that names the number its algorithm cannot keep exactly. */
export function createPolicy(settings: PolicySettings, path = ""): Policy {
  return policyFor("deciding", settings, path);
}

function policyFor(role: Role, given: PolicySettings, path: string): Policy {
  const { name, space, limit, window, timeZone, shadow, countRefused } = given;
  const algorithm = (given.ban ? banning : algorithms)[given.algorithm];
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

/** What is charged after the fact is charged whatever is banned, and begins no ban; nor does what is tried. */
function termsOf(ban: Ban, window: number, role: Role): BanTerms {
  return { ...ban, after: signs[role] * ban.after, within: ban.within ?? window };
}

/** By the sign of the refusals that begin a ban its algorithm knows what to do with them. */
const signs: Readonly<Record<Role, number>> = { deciding: 1, settling: 0, trying: -1 };

function shareOf(given: PolicySettings, part: number): PolicySettings {
  const scaled = (units: number): number => Math.min(units, Math.max(1, Math.floor(units * part)));
  const limit = scaled(given.limit);
  let burst = given.burst === undefined ? limit : scaled(given.burst);
  // a part that has no factor in common with the window weighs more
  while (algorithms[given.algorithm].problem(settingsOf({ ...given, limit, burst }))) {
    burst = Math.floor(burst / 2);
  }
  return { ...given, limit, burst };
}

/** Params that follow the calendar, made anew once per window. */
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
      // Stores keep no times before the epoch, which a clock of a test may begin with.
      const edges = calendarEdgesAround(unit, zone, now).map((edge) => Math.max(0, edge));
      params = algorithm.params({ ...settings, edges });
    }
    return params;
  };
}
