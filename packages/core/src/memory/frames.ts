import type { SlotKind, Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";

/**
 * Writes the slots of keys as differences from a frame: what many rows have in common, kept once. A frame holds the
 * policy that charged last and a base per slot; slots fit a frame where each is at most its `span` above the base.
 * Shapes have a span of 0 and need no words, times and counts have one word, long numbers two.
 */
export interface Frames {
  readonly kinds: readonly FramedKind[];
  readonly span: readonly number[];
  /** Words per slot, and in all. */
  readonly words: readonly number[];
  readonly width: number;
  /** By number, from 1; there is no frame 0. */
  readonly list: (Frame | undefined)[];
  latest: number;
}

interface Frame {
  readonly policy: Policy;
  readonly bases: readonly number[];
  /** How many rows use it, so that it can be replaced when none does. */
  rows: number;
}

/** Rings do not fit rows. */
export type FramedKind = Exclude<SlotKind, "ring">;

/** The highest number of a frame. */
const most = 254;

const spans: Readonly<Record<FramedKind, number>> = {
  shape: 0,
  time: 2 ** 32 - 1,
  count: 2 ** 32 - 1,
  long: 2 ** 53 - 1,
};
const wordsOf: Readonly<Record<FramedKind, number>> = { shape: 0, time: 1, count: 1, long: 2 };

export function createFrames(kinds: readonly FramedKind[]): Frames {
  const words = kinds.map((kind) => wordsOf[kind]);
  const width = words.reduce((sum, n) => sum + n, 0);
  const span = kinds.map((kind) => spans[kind]);
  return { kinds, span, words, width, list: [undefined], latest: 0 };
}

/**
 * Finds a frame that slots fit in, with preference for one; 0 where there is none and none can be made.
 */
export function frameFor(frames: Frames, slots: Slots, policy: Policy, preferred: number): number {
  const { list, span } = frames;
  if (fits(list[preferred], span, slots, policy)) return preferred;
  if (!fits(list[frames.latest], span, slots, policy)) {
    frames.latest = search(frames, slots, policy);
  }
  return frames.latest;
}

export function readSlots(
  { words, list }: Frames,
  frame: number,
  rows: Uint32Array,
  at: number,
  slots: Slots,
): void {
  const { bases } = list[frame]!;
  let word = at;
  for (let i = 0; i < words.length; i++) {
    const length = words[i]!;
    let above = 0;
    if (length > 0) above = rows[word]!;
    if (length > 1) above += rows[word + 1]! * 2 ** 32;
    slots[i] = bases[i]! + above;
    word += length;
  }
}

export function writeSlots(
  { words, list }: Frames,
  frame: number,
  rows: Uint32Array,
  at: number,
  slots: Slots,
): void {
  const { bases } = list[frame]!;
  let word = at;
  for (let i = 0; i < words.length; i++) {
    const length = words[i]!;
    const above = slots[i]! - bases[i]!;
    // An array of 32-bit words takes what is above them off.
    if (length > 0) rows[word] = above;
    if (length > 1) rows[word + 1] = above / 2 ** 32;
    word += length;
  }
}

function fits(
  frame: Frame | undefined,
  span: readonly number[],
  slots: Slots,
  policy: Policy,
): boolean {
  if (frame === undefined || frame.policy !== policy) return false;
  const { bases } = frame;
  for (let i = 0; i < span.length; i++) {
    const above = slots[i]! - bases[i]!;
    if (above < 0 || above > span[i]!) return false;
  }
  return true;
}

function search({ kinds, span, list }: Frames, slots: Slots, policy: Policy): number {
  for (let number = 1; number < list.length; number++) {
    if (fits(list[number], span, slots, policy)) return number;
  }
  const bases = kinds.map((kind, i) => baseFor(kind, slots[i]!));
  const frame: Frame = { policy, bases, rows: 0 };
  if (!fits(frame, span, slots, policy)) return 0;
  const number = list.length <= most ? list.length : list.findIndex((f) => f?.rows === 0);
  if (number < 0) return 0;
  list[number] = frame;
  return number;
}

/** Where a new frame begins: times have as much room behind as ahead. */
function baseFor(kind: FramedKind, slot: number): number {
  if (kind === "shape") return slot;
  return kind === "time" ? Math.max(0, slot - 2 ** 31) : 0;
}
