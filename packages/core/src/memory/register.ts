import type { Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";
import type { Census } from "./census.ts";
import { createFrames, type Frames, frameFor, policyOf, readSlots, writeSlots } from "./frames.ts";
import { type Hash, hashKey } from "./key-hash.ts";
import { createOverflow, type Overflow } from "./overflow.ts";
import { markAt, noSegment, setMark } from "./segment.ts";
import {
  addRow,
  createTable,
  findRow,
  type Hand,
  type Place,
  removeRow,
  stepHand,
  type Table,
} from "./table.ts";

/** What is stored for one key. */
export interface KeyEntry {
  slots: Slots;
  /** The policy that charged it last. */
  policy: Policy;
}

/**
 * Stores the slots of all keys of one policy, or of policies that share them, each in a row of a table. What does not
 * fit a row, such as rings and rare numbers, is in the overflow, and the row holds its number.
 *
 * The register itself is the place of the key last looked up; `slots` are what `find` found there, or zeros. They may
 * be changed and saved until the next lookup.
 */
export interface Register extends Place {
  readonly table: Table;
  /** Undefined when nothing fits a row. */
  readonly frames: Frames | undefined;
  readonly overflow: Overflow<KeyEntry>;
  readonly hash: Hash;
  known: boolean;
  /** The last of the store's requests with several charges that named it. */
  request: number;
  slots: Slots;
  /** Holds slots read from rows. */
  readonly scratch: number[];
  /** What the hand met last. */
  readonly seen: KeyEntry & Place;
  readonly seenScratch: number[];
}

/** The mark of a row whose slots are in the overflow; all other marks are frames. */
const overflowed = 255;
/** Index of a row's first word for slots. */
const body = 2;

/** Creates an empty register for a policy. */
export function createRegister(policy: Policy, now: number, census?: Census): Register {
  const layout = policy.algorithm.layout(policy.params(now));
  const header = layout.filter((kind) => kind !== "ring");
  const frames = header.length === layout.length ? createFrames(header) : undefined;
  const scratch = doubles(header.length);
  const seenScratch = doubles(header.length);
  return {
    segment: noSegment,
    at: 0,
    table: createTable(body + Math.max(1, frames?.width ?? 0), census),
    frames,
    overflow: createOverflow(),
    hash: new Int32Array(2),
    known: false,
    request: 0,
    slots: scratch,
    scratch,
    seen: { slots: seenScratch, policy, segment: noSegment, at: 0 },
    seenScratch,
  };
}

/** Looks up a key and returns whether it is known. */
export function find(register: Register, key: string): boolean {
  const { table, hash } = register;
  hashKey(key, hash);
  register.known = findRow(table, hash, register);
  const mark = register.known ? markAt(register.segment.rows, register.at) : 0;
  if (mark === 0 || mark === overflowed) {
    register.slots = mark === 0 ? blank(register) : entryAt(register, register).slots;
  } else {
    register.slots = register.scratch;
    readSlots(register.frames!, mark, register.segment.rows, register.at + body, register.scratch);
  }
  return register.known;
}

/** Returns the slots of a key never seen; a new array if they may go to the overflow because nothing fits a row. */
function blank({ frames, scratch }: Register): Slots {
  return cleared(frames === undefined ? doubles(scratch.length) : scratch);
}

/** Finds the place of the key last looked up again, after other keys were removed. */
export function findAgain(register: Register): void {
  findRow(register.table, register.hash, register);
}

/** Stores the slots of the key last looked up, in a new row if it was not known. */
export function save(register: Register, policy: Policy): void {
  const { frames, known, segment, at, slots } = register;
  const mark = known ? markAt(segment.rows, at) : 0;
  // Usually the row exists and fits its frame.
  if (mark === 0 || mark === overflowed) saveAnew(register, policy, mark);
  else if (!writeSlots(frames!, mark, policy, segment.rows, at + body, slots))
    saveAnew(register, policy, mark);
}

/** Stores slots that do not fit their present row, if any; `was` is its mark, 0 for none. */
function saveAnew(register: Register, policy: Policy, was: number): void {
  const { table, frames, hash, known, slots } = register;
  if (was === overflowed) {
    entryAt(register, register).policy = policy;
    return;
  }
  if (!known) addRow(table, hash, overflowed, register);
  register.known = true;
  const { rows } = register.segment;
  const at = register.at + body;
  let mark = frames === undefined ? 0 : frames.latest;
  if (mark === 0 || !writeSlots(frames!, mark, policy, rows, at, slots)) {
    mark = frames === undefined ? 0 : frameFor(frames, slots, policy);
    if (mark > 0) writeSlots(frames!, mark, policy, rows, at, slots);
    else rows[at] = putAside(register, policy);
  }
  if (mark === was) return;
  if (was > 0) frames!.list[was]!.rows--;
  if (mark > 0) frames!.list[mark]!.rows++;
  setMark(rows, register.at, mark || overflowed);
}

/** Removes a key. */
export function forget(register: Register, key: string): void {
  hashKey(key, register.hash);
  if (findRow(register.table, register.hash, register)) drop(register, register);
  register.known = false;
}

/** Moves a hand on by one place; if that is a row, reads it into `seen`. */
export function step(register: Register, hand: Hand): "row" | "gap" | "end" {
  const { table, frames, seen, seenScratch } = register;
  const met = stepHand(table, hand, seen);
  if (met !== "row") return met;
  const { rows } = seen.segment;
  const mark = markAt(rows, seen.at);
  if (mark === overflowed) {
    const { slots, policy } = entryAt(register, seen);
    seen.slots = slots;
    seen.policy = policy;
  } else {
    seen.slots = seenScratch;
    seen.policy = policyOf(frames!, mark);
    readSlots(frames!, mark, rows, seen.at + body, seenScratch);
  }
  return met;
}

/**
 * Visits so many places under a hand and removes expired keys. Returns how many are left once the hand has
 * passed the last place, 0 if it has not.
 */
export function sweep(register: Register, hand: Hand, places: number, now: number): number {
  for (let left = places; left > 0; left--) {
    const met = step(register, hand);
    if (met === "row" && isFresh(register.seen, now)) drop(register, register.seen);
    if (met === "end") return left - 1;
  }
  return 0;
}

/** Whether a key has expired, so that it is as if never used. */
export function isFresh({ slots, policy }: KeyEntry, now: number): boolean {
  return policy.algorithm.expires(slots, policy.params(now)) <= now;
}

/** Removes the row at a place. */
export function drop({ table, frames, overflow }: Register, place: Place): void {
  const { rows } = place.segment;
  const mark = markAt(rows, place.at);
  if (mark === overflowed) overflow.takeAway(rows[place.at + body]!);
  else frames!.list[mark]!.rows--;
  removeRow(table, place);
}

function entryAt({ overflow }: Register, { segment, at }: Place): KeyEntry {
  return overflow.at(segment.rows[at + body]!);
}

function putAside({ overflow, slots, scratch }: Register, policy: Policy): number {
  return overflow.put({ slots: slots === scratch ? [...slots] : slots, policy });
}

function cleared(slots: number[]): number[] {
  for (let i = 0; i < slots.length; i++) slots[i] = 0;
  return slots;
}

/** Returns an array that an engine treats as floating-point numbers from the start, which is faster to read. */
function doubles(length: number): number[] {
  const array: number[] = [];
  for (let i = 0; i < length; i++) array.push(0.5);
  return array;
}
