import type { SlotKind, Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";

/**
 * Stores the slots of keys as differences from a frame, which holds once what many rows have in common: the policy that
 * charged last and a base per slot. Slots fit a frame if each is at most its `span` above the base. Shapes have a span
 * of 0 and need no words, times and counts have one word, long numbers two.
 */
export interface Frames {
  readonly kinds: readonly FramedKind[];
  readonly spans: readonly number[];
  /** Words per slot, and in total. */
  readonly words: readonly number[];
  readonly width: number;
  /** By number, from 1; index 0 is not a frame. */
  readonly list: Frame[];
  /** The number of the frame last written to, or 0. */
  latest: number;
}

interface Frame {
  readonly policy: Policy | undefined;
  readonly bases: readonly number[];
  /** How many rows use it; it can be replaced when none does. */
  rows: number;
}

/** Rings do not fit rows. */
export type FramedKind = Exclude<SlotKind, "ring">;

/** The highest number of a frame. */
const maxFrame = 254;

const spanOf: Readonly<Record<FramedKind, number>> = {
  shape: 0,
  time: 2 ** 32 - 1,
  count: 2 ** 32 - 1,
  long: 2 ** 53 - 1,
};
const wordsOf: Readonly<Record<FramedKind, number>> = { shape: 0, time: 1, count: 1, long: 2 };

/** Creates the frames of one layout. */
export function createFrames(kinds: readonly FramedKind[]): Frames {
  const words = kinds.map((kind) => wordsOf[kind]);
  const width = words.reduce((sum, n) => sum + n, 0);
  const spans = kinds.map((kind) => spanOf[kind]);
  const none: Frame = { policy: undefined, bases: kinds.map(() => 0), rows: 0 };
  return { kinds, spans, words, width, list: [none], latest: 0 };
}

/** Returns the policy that last charged a row of a frame. */
export function policyOf({ list }: Frames, frame: number): Policy {
  return list[frame]!.policy!;
}

/** Reads the slots of a row. */
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
    let slot = bases[i]!;
    if (words[i]! > 0) slot += rows[word++]!;
    if (words[i] === 2) slot += rows[word++]! * 2 ** 32;
    slots[i] = slot;
  }
}

/** Writes slots if they fit a frame; returns false if not, which leaves the row meaningless. */
export function writeSlots(
  { words, spans, list }: Frames,
  frame: number,
  policy: Policy,
  rows: Uint32Array,
  at: number,
  slots: Slots,
): boolean {
  const { policy: owner, bases } = list[frame]!;
  if (owner !== policy) return false;
  let word = at;
  for (let i = 0; i < words.length; i++) {
    const above = slots[i]! - bases[i]!;
    if (above < 0 || above > spans[i]!) return false;
    // The array of 32-bit words drops higher bits.
    if (words[i]! > 0) rows[word++] = above;
    if (words[i] === 2) rows[word++] = above / 2 ** 32;
  }
  return true;
}

/** Finds or creates a frame that fits the slots and makes it the latest; 0 when there is none. */
export function frameFor(frames: Frames, slots: Slots, policy: Policy): number {
  const { kinds, spans, list } = frames;
  let frame = list.findIndex((known) => fits(known, spans, slots, policy));
  if (frame < 0) {
    const bases = kinds.map((kind, i) => baseFor(kind, slots[i]!));
    const made: Frame = { policy, bases, rows: 0 };
    if (!fits(made, spans, slots, policy)) return 0;
    frame =
      list.length <= maxFrame ? list.length : list.findIndex(({ rows }, i) => i > 0 && rows === 0);
    if (frame < 0) return 0;
    list[frame] = made;
  }
  frames.latest = frame;
  return frame;
}

function fits(frame: Frame, spans: readonly number[], slots: Slots, policy: Policy): boolean {
  return (
    frame.policy === policy &&
    spans.every((span, i) => {
      const above = slots[i]! - frame.bases[i]!;
      return above >= 0 && above <= span;
    })
  );
}

/** Returns the base for a new frame: times have equal room before and after. */
function baseFor(kind: FramedKind, slot: number): number {
  if (kind === "shape") return slot;
  return kind === "time" ? Math.max(0, slot - 2 ** 31) : 0;
}
