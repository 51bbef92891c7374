import type { LuaTwin } from "./lua-twin.ts";

/** The numbers that an algorithm keeps for one key. All zero: a key never seen. Whole numbers below 2^53. */
export type Slots = number[] | Float64Array;

/**
 * What a slot holds, so that a store can keep it in few bytes: a `time` near the latest charge, a `count` that is
 * rarely above 2^32, a `long` number up to 2^53, or a `shape` that nearly all keys of a policy share. A `ring` is not
 * one slot but the rest of them, which grows as it is written.
 */
export type SlotKind = "time" | "count" | "long" | "shape" | "ring";

/** A policy's numbers as its algorithm wants them, made once and in the order that the Lua twin reads them. */
export type Params = readonly number[];

/** What a policy asks of its algorithm, checked and in whole milliseconds. */
export interface Settings {
  readonly limit: number;
  /** Milliseconds; of a calendar window its usual length. */
  readonly window: number;
  readonly burst: number;
  readonly segments: number;
  readonly align: "clock" | "first-request";
  /** Four edges of calendar windows around now, in place of aligned windows. */
  readonly edges?: readonly number[] | undefined;
  /** Leaky bucket: whether an admitted request is held until its place in the outflow. */
  readonly delay: boolean;
  readonly countRefused: boolean;
  /** What keys are blocked for, where they are. */
  readonly ban?: BanTerms | undefined;
}

/** When a key is blocked, and for how long. Whole milliseconds. */
export interface BanTerms {
  /**
   * How many refusals begin a ban; 0 for charges that no ban concerns; below 0 for those that a ban blocks and whose
   * refusals are not counted.
   */
  readonly after: number;
  /** The time in which they are counted. */
  readonly within: number;
  /** How long the first ban lasts, the second …, each longer than the one before; the last is that of all later ones. */
  readonly durations: readonly number[];
  /** Whether a request during a ban begins the next one. */
  readonly extend: boolean;
}

/** What a client may know about a state. Times in milliseconds. */
export interface View {
  /** Whole units that still fit, 0..limit. */
  readonly remaining: number;
  /** Time until the same cost fits if nobody else asks; 0 when it fits, `Infinity` when it never will. */
  readonly retryAfter: number;
  /** Time until the key is as good as never used. */
  readonly resetAfter: number;
  /** Time until the place in the outflow of a request that was just admitted; 0 but for a leaky bucket. */
  readonly delay: number;
  /** True while a ban runs, whatever else would fit. */
  readonly blocked?: boolean;
}

/** A setting that does not fit an algorithm's arithmetic. */
export interface SettingProblem {
  readonly option: "limit" | "burst" | "window" | "segments";
  readonly expected: string;
}

/**
 * Decides whether a cost fits, and what to keep of it. Everything is pure: time is an argument, and the state is
 * the `slots` of one key. `take`, `mark`, `give` and `expires` have a twin in `lua`, line for line, and of rings `report`.
 */
export interface Algorithm {
  readonly name: string;
  /** Names what the slots mean: two policies of one kind can read each other's state. */
  kind(settings: Settings): string;
  /**
   * Says what keeps the arithmetic from being exact (numbers past 2^53), naming the largest value that works, or one up
   * to which all do.
   */
  problem(settings: Settings): SettingProblem | undefined;
  params(settings: Settings): Params;
  /** How many numbers a key keeps at the most. */
  slots(params: Params): number;
  /** What they are, in their order. Says nothing about what may stand in them: any slot may hold any number. */
  layout(params: Params): readonly SlotKind[];
  /**
   * The most that each slot usually holds at `now`, for a store to make room for; any may hold more. None where the
   * slots are a ring.
   */
  usual(params: Params, now: number): readonly number[];
  /**
   * Tells whether `cost` fits at `now`, and writes the new state only if it does. A cost of 0 always fits and never
   * writes. A refused take may write the mark of a clock that stepped back, or, where refused requests count, the
   * saturated state.
   */
  take(slots: Slots, now: number, cost: number, params: Params): boolean;
  /** Moves a state that lies ahead of a clock that stepped back to the new time, as a refused take does. */
  mark(slots: Slots, now: number, params: Params): void;
  /**
   * Gives back a charge that was made at `at` and left the state `left` behind: never more than was taken, never
   * more than a history without that charge would hold, never into another window, never into a fresh key.
   */
  give(
    slots: Slots,
    now: number,
    cost: number,
    at: number,
    left: readonly number[],
    params: Params,
  ): void;
  /** Tells when a state is as good as never used; 0 for one that is. */
  expires(slots: Slots, params: Params): number;
  /**
   * Tells how firmly a state must be kept where it tells of a ban: above 0 and up to 1 where refusals or a former ban
   * are remembered, above that while one runs, up to 2; 0 for any other. Absent where nothing bans.
   */
  retention?(slots: Slots, now: number, params: Params): number;
  /** Copies what `view` needs of a state: the slots, or a digest where they are many. */
  report(slots: Slots, now: number, cost: number, params: Params): number[];
  /** Whether a report is a digest that tells of no other cost than the one that it was made for. */
  readonly reportsOneCost?: true;
  /** Explains a report. Never runs in Redis. */
  view(report: readonly number[], now: number, cost: number, params: Params): View;
  /** The same in Lua. */
  readonly lua: LuaTwin;
}
