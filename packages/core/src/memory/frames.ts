import type { SlotKind, Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";

/**
 * Writes the slots of keys as differences from a frame: what many rows have in common, kept once. A frame holds the
 * policy that charged last and a base per slot; a slot fits a frame where it is at most `span` above the base. Shapes
 * have a span of 0 and need no words, times and counts have one word, long numbers two.
 */
export interface Frames {
  /** Words that a row needs. */
  readonly words: number;
  /** Finds a frame that slots fit in, with preference for one; 0 where there is none and none can be made. */
  fitting(slots: Slots, policy: Policy, preferred: number): number;
  read(frame: number, rows: Uint32Array, at: number, slots: Slots): void;
  write(frame: number, rows: Uint32Array, at: number, slots: Slots): void;
  policyOf(frame: number): Policy;
  /** Counts the rows of a frame, so that one without any can serve again. */
  enter(frame: number): void;
  leave(frame: number): void;
}

interface Frame {
  policy: Policy;
  bases: readonly number[];
  rows: number;
}

/** Rings do not fit rows. */
export type FramedKind = Exclude<SlotKind, "ring">;

/** Frames are numbered from 1 to this. */
const most = 254;

const spans: Readonly<Record<FramedKind, number>> = {
  shape: 0,
  time: 2 ** 32 - 1,
  count: 2 ** 32 - 1,
  long: 2 ** 53 - 1,
};
const wordsOf: Readonly<Record<FramedKind, number>> = { shape: 0, time: 1, count: 1, long: 2 };

export function createFrames(kinds: readonly FramedKind[]): Frames {
  // 0 is the number of none.
  const frames: (Frame | undefined)[] = [undefined];
  const words = kinds.map((kind) => wordsOf[kind]);
  const span = kinds.map((kind) => spans[kind]);
  let latest = 0;

  function fits(frame: Frame | undefined, slots: Slots, policy: Policy): boolean {
    if (frame === undefined || frame.policy !== policy) return false;
    for (let i = 0; i < span.length; i++) {
      const above = slots[i]! - frame.bases[i]!;
      if (above < 0 || above > span[i]!) return false;
    }
    return true;
  }

  function find(slots: Slots, policy: Policy): number {
    for (let number = 1; number < frames.length; number++) {
      if (fits(frames[number], slots, policy)) return number;
    }
    const bases = kinds.map((kind, i) => baseFor(kind, slots[i]!));
    const frame: Frame = { policy, bases, rows: 0 };
    if (!fits(frame, slots, policy)) return 0;
    const number = frames.length <= most ? frames.length : frames.findIndex((f) => f?.rows === 0);
    if (number < 0) return 0;
    frames[number] = frame;
    return number;
  }

  return {
    words: words.reduce((sum, n) => sum + n, 0),

    fitting(slots, policy, preferred) {
      if (fits(frames[preferred], slots, policy)) return preferred;
      if (!fits(frames[latest], slots, policy)) latest = find(slots, policy);
      return latest;
    },

    read(frame, rows, at, slots) {
      const { bases } = frames[frame]!;
      let word = at;
      for (let i = 0; i < words.length; i++) {
        let above = 0;
        if (words[i]! > 0) above = rows[word++]!;
        if (words[i] === 2) above += rows[word++]! * 2 ** 32;
        slots[i] = bases[i]! + above;
      }
    },

    write(frame, rows, at, slots) {
      const { bases } = frames[frame]!;
      let word = at;
      for (let i = 0; i < words.length; i++) {
        const above = slots[i]! - bases[i]!;
        // Stored modulo 2^32.
        if (words[i]! > 0) rows[word++] = above;
        if (words[i] === 2) rows[word++] = above / 2 ** 32;
      }
    },

    policyOf: (frame) => frames[frame]!.policy,
    enter(frame) {
      frames[frame]!.rows++;
    },
    leave(frame) {
      frames[frame]!.rows--;
    },
  };
}

/** Where a new frame begins: times have as much room behind as ahead. */
function baseFor(kind: FramedKind, slot: number): number {
  if (kind === "shape") return slot;
  return kind === "time" ? Math.max(0, slot - 2 ** 31) : 0;
}
