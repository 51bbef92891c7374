import type { LuaTwin } from "./lua-twin.ts";

/** The numbers that an algorithm keeps for one key: whole, below 2^53. All zero means a key never seen. */
export type Slots = number[] | Float64Array;

/**
 * What a slot holds, so that a store can pack it: a `time` near the latest charge, a `count` rarely above 2^32, a
 * `long` number up to 2^53, or a `shape` that nearly all keys of a policy share. A `ring` stands for all remaining
 * slots; it grows as it is written.
 */
export type SlotKind = "time" | "count" | "long" | "shape" | "ring";

/** A policy's numbers as its algorithm needs them, computed once, in the order in which the Lua twin reads them. */
export type Params = readonly number[];

/** A policy's settings for its algorithm, validated; times in whole milliseconds. */
export interface Settings {
  readonly limit: number;
  /** Milliseconds; for a calendar window its usual length. */
  readonly window: number;
  readonly burst: number;
  readonly segments: number;
  readonly align: "clock" | "first-request";
  /** Four edges of calendar windows around now, instead of aligned windows. */
  readonly edges?: readonly number[] | undefined;
  /** Leaky bucket: whether to hold an admitted request until its turn in the outflow. */
  readonly delay: boolean;
  readonly countRefused: boolean;
  /** When keys are banned, if ever. */
  readonly ban?: BanTerms | undefined;
}

/** When a key is banned, and for how long. Times in whole milliseconds. */
export interface BanTerms {
  /**
   * Refusals that start a ban. 0: bans do not apply to this charge. Negative: an active ban blocks it, but its refusals
   * are not counted.
   */
  readonly after: number;
  /** The period in which refusals are counted. */
  readonly within: number;
  /**
   * Lengths of the first ban, the second and so on, each longer than the one before; the last applies to all later
   * bans.
   */
  readonly durations: readonly number[];
  /** Whether a request during a ban starts the next one. */
  readonly extend: boolean;
}

/** What a client may know about a state. Times in milliseconds. */
export interface View {
  /** Whole units that still fit, 0..limit. */
  readonly remaining: number;
  /** Time until the same cost fits, barring other requests; 0 when it fits now, `Infinity` when it never will. */
  readonly retryAfter: number;
  /** Time until the state equals that of an unused key. */
  readonly resetAfter: number;
  /** Time until an admitted request's turn in the outflow; 0 except for a leaky bucket. */
  readonly delay: number;
  /** True during a ban, even if the cost would fit. */
  readonly blocked?: boolean;
}

/** A setting that does not suit an algorithm, and what would. */
export interface SettingProblem {
  readonly option: "limit" | "burst" | "window" | "segments";
  readonly expected: string;
}

/**
 * Decides whether a cost fits, and which state to keep. All functions are pure: time is an argument, and the state is
 * the `slots` of one key. `take`, `mark`, `give` and `expires` (and `report` of rings) have line-by-line twins in
 * `lua`.
 */
export interface Algorithm {
  readonly name: string;
  /** Returns a name for the meaning of the slots: policies of the same kind can read each other's state. */
  kind(settings: Settings): string;
  /**
   * Returns a setting that the algorithm cannot handle exactly (numbers past 2^53) or at all, and what would work, such
   * as the largest value or one up to which all do; undefined when there is none.
   */
  problem(settings: Settings): SettingProblem | undefined;
  params(settings: Settings): Params;
  /** Returns the times for which params are right, epoch milliseconds, end excluded. Absent: always. */
  span?(params: Params): readonly [from: number, end: number];
  /** Returns the maximum number of slots of a key. */
  slots(params: Params): number;
  /** Returns the kinds of the slots, in order. Only a hint for packing: any slot may hold any number. */
  layout(params: Params): readonly SlotKind[];
  /**
   * Returns the largest value that each slot usually has at `now`, so that a store can reserve space; any may be
   * larger. Empty for rings.
   */
  usual(params: Params, now: number): readonly number[];
  /**
   * Whether `cost` fits at `now`; writes the new state only if it does. A cost of 0 always fits and never writes. A
   * refused take may record that the clock stepped back, or the saturated state if refused requests count.
   */
  take(slots: Slots, now: number, cost: number, params: Params): boolean;
  /** Moves a state that is ahead of a clock that stepped back to the new time, as a refused take does. */
  mark(slots: Slots, now: number, params: Params): void;
  /**
   * Refunds a charge made at `at` that left the state `left`: never more than was taken, never more than a history
   * without that charge would hold, never into another window, never into a fresh key.
   */
  give(
    slots: Slots,
    now: number,
    cost: number,
    at: number,
    left: readonly number[],
    params: Params,
  ): void;
  /** Returns the time from which the state equals that of an unused key; 0 if it already does. */
  expires(slots: Slots, params: Params): number;
  /**
   * Returns how reluctantly a full store should evict this state: 0 = no ban data; above 0, up to 1 = recorded refusals
   * or a past ban; above 1, up to 2 = an active ban. Absent for algorithms that never ban.
   */
  retention?(slots: Slots, now: number, params: Params): number;
  /** Copies what `view` needs of a state: the slots, or a digest if they are many. */
  report(slots: Slots, now: number, cost: number, params: Params): number[];
  /** Whether a report is a digest that is valid only for the cost it was made for. */
  readonly reportsOneCost?: true;
  /**
   * Whether units may be charged ahead of their use, and told from those in use by `give` on a report: not if a charge's
   * own moment matters, as in a log or a queue.
   */
  readonly isLeasable?: boolean;
  /** Interprets a report. Never runs in Redis. */
  view(report: readonly number[], now: number, cost: number, params: Params): View;
  /** The same functions in Lua. */
  readonly lua: LuaTwin;
}
