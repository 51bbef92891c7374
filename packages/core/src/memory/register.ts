import type { Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";
import { createFrames, type Frames, frameFor, readSlots, writeSlots } from "./frames.ts";
import { type Hash, hashKey } from "./key-hash.ts";
import { markAt, noSegment, setMark } from "./segment.ts";
import { createShelf, type Shelf } from "./shelf.ts";
import {
  addRow,
  createTable,
  findRow,
  type Place,
  removeRow,
  stepHand,
  type Table,
} from "./table.ts";

/** What is known of one key. */
export interface Entry {
  slots: Slots;
  /** Who charged it last. */
  policy: Policy;
}

/** An entry and where it stands. */
export interface Found extends Entry, Place {}

/**
 * Keeps the slots of the keys of one policy, or of policies that share them: a row of a table each. What does not fit
 * a row, such as rings and rare numbers, lies on a shelf, and the row says where.
 */
export interface Register {
  readonly table: Table;
  /** Undefined where nothing fits a row. */
  readonly frames: Frames | undefined;
  readonly shelf: Shelf<Entry>;
  /** What the latest `find` found, or zeros: its slots may be changed and saved until the next one. */
  readonly sought: Found;
  known: boolean;
  /** What the hand came upon. */
  readonly seen: Found;
  readonly hash: Hash;
  /** What slots are read into. */
  readonly soughtSlots: Float64Array;
  readonly seenSlots: Float64Array;
}

/** The mark of a row whose slots lie on the shelf; all others are frames. */
const shelved = 255;
/** Where a row's own words begin. */
const body = 2;

export function createRegister(policy: Policy, now: number): Register {
  const layout = policy.algorithm.layout(policy.params(now));
  const header = layout.filter((kind) => kind !== "ring");
  const frames = header.length === layout.length ? createFrames(header) : undefined;
  const soughtSlots = new Float64Array(header.length);
  const seenSlots = new Float64Array(header.length);
  return {
    table: createTable(body + Math.max(1, frames?.width ?? 0)),
    frames,
    shelf: createShelf(),
    sought: { slots: soughtSlots, policy, segment: noSegment, at: 0 },
    known: false,
    seen: { slots: seenSlots, policy, segment: noSegment, at: 0 },
    hash: new Uint32Array(2),
    soughtSlots,
    seenSlots,
  };
}

/** Looks a key up; answers whether it is known. */
export function find(register: Register, key: string): boolean {
  const { table, frames, sought, hash, soughtSlots } = register;
  hashKey(key, hash);
  register.known = findRow(table, hash, sought);
  if (register.known) read(register, sought, soughtSlots);
  else sought.slots = frames === undefined ? zeros(soughtSlots.length) : cleared(soughtSlots);
  return register.known;
}

/** Finds the place of the key that was looked up last, after other keys were forgotten. */
export function findAgain({ table, hash, sought }: Register): void {
  findRow(table, hash, sought);
}

/** Keeps the slots of the key that was looked up last, in a new row if it was not known. */
export function save(register: Register, policy: Policy): void {
  const { table, frames, shelf, sought, hash, soughtSlots } = register;
  const { slots } = sought;
  const was = register.known ? markAt(sought.segment.rows, sought.at) : 0;
  if (was === shelved) {
    shelf.at(sought.segment.rows[sought.at + body]!).policy = policy;
    return;
  }
  const mark = (frames && frameFor(frames, slots, policy, was)) || shelved;
  if (!register.known) addRow(table, hash, mark, sought);
  register.known = true;
  const { rows } = sought.segment;
  const at = sought.at + body;
  if (mark !== was) {
    if (was !== 0) frames!.list[was]!.rows--;
    if (mark !== shelved) frames!.list[mark]!.rows++;
    setMark(rows, sought.at, mark);
  }
  if (mark !== shelved) writeSlots(frames!, mark, rows, at, slots);
  else rows[at] = shelf.put({ slots: slots === soughtSlots ? [...slots] : slots, policy });
}

export function forget(register: Register, key: string): void {
  hashKey(key, register.hash);
  if (findRow(register.table, register.hash, register.sought)) drop(register, register.sought);
  register.known = false;
}

/** Moves the hand on by one place, and reads what it came upon into `seen`, if that is a row. */
export function step(register: Register): "row" | "gap" | "end" {
  const met = stepHand(register.table, register.seen);
  if (met === "row") read(register, register.seen, register.seenSlots);
  return met;
}

/**
 * Looks at so many places under the hand, and forgets what is as good as new. Answers how many are left once the hand
 * has come past the last one, 0 if it has not.
 */
export function sweep(register: Register, places: number, now: number): number {
  for (let left = places; left > 0; left--) {
    const met = step(register);
    if (met === "row" && isFresh(register.seen, now)) drop(register, register.seen);
    if (met === "end") return left - 1;
  }
  return 0;
}

export function isFresh({ slots, policy }: Entry, now: number): boolean {
  return policy.algorithm.expires(slots, policy.params(now)) <= now;
}

/** Forgets what stands at a place. */
export function drop({ table, frames, shelf }: Register, place: Place): void {
  const { rows } = place.segment;
  const mark = markAt(rows, place.at);
  if (mark === shelved) shelf.takeAway(rows[place.at + body]!);
  else frames!.list[mark]!.rows--;
  removeRow(table, place);
}

function read({ frames, shelf }: Register, found: Found, slots: Float64Array): void {
  const { rows } = found.segment;
  const mark = markAt(rows, found.at);
  if (mark === shelved) {
    const kept = shelf.at(rows[found.at + body]!);
    found.slots = kept.slots;
    found.policy = kept.policy;
  } else {
    found.slots = slots;
    found.policy = frames!.list[mark]!.policy;
    readSlots(frames!, mark, rows, found.at + body, slots);
  }
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}

function cleared(slots: Float64Array): Float64Array {
  for (let i = 0; i < slots.length; i++) slots[i] = 0;
  return slots;
}
