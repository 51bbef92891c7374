import type { Slots } from "../algorithm.ts";
import type { Policy } from "../policy.ts";
import { createFrames } from "./frames.ts";
import type { Hash, KeyHash } from "./key-hash.ts";
import { emptySegment, markAt, setMark } from "./segment.ts";
import { createShelf } from "./shelf.ts";
import { createTable, type Place } from "./table.ts";

/** What is known of one key. */
export interface Entry {
  slots: Slots;
  /** Who charged it last. */
  policy: Policy;
}

/**
 * Keeps the slots of the keys of one policy, or of policies that share them: a row of a table each. What does not fit
 * a row, such as rings and rare numbers, lies on a shelf, and the row says where.
 */
export interface Register {
  readonly size: number;
  /** Looks a key up: `entry` holds its slots then, or zeros where it is not known. */
  find(key: string): boolean;
  /** Of the latest `find`; its slots may be changed and saved until the next one. */
  readonly entry: Entry;
  /** Keeps the entry's slots, for a key that is not known as a new row. */
  save(policy: Policy): void;
  forget(key: string): void;
  /** Moves the hand on by one place; `seen` holds what it came upon, if that is a row. */
  step(): "row" | "gap" | "end";
  readonly seen: Entry & Place;
  /** Forgets what the hand came upon; `place` is a copy of `seen`'s, and nothing was saved since. */
  drop(place: Place): void;
}

/** The mark of a row whose slots lie on the shelf; all others are frames. */
const shelved = 255;
/** Where a row's own words begin. */
const body = 2;

export function createRegister(policy: Policy, now: number, hash: KeyHash): Register {
  const layout = policy.algorithm.layout(policy.params(now));
  const header = layout.filter((kind) => kind !== "ring");
  const frames = header.length === layout.length ? createFrames(header) : undefined;
  const shelf = createShelf<Entry>();
  const table = createTable(body + Math.max(1, frames?.words ?? 0));

  const sought: Hash = new Uint32Array(2);
  const nowhere = emptySegment(0, 0, 0, 0);
  const here: Place = { segment: nowhere, at: 0 };
  const scratch = new Float64Array(header.length);
  const entry: Entry = { slots: scratch, policy };
  const seenScratch = new Float64Array(header.length);
  const seen = { slots: seenScratch as Slots, policy, segment: nowhere, at: 0 };
  let known = false;

  function read({ segment: { rows }, at }: Place, into: Entry, free: Slots): void {
    const mark = markAt(rows, at);
    if (mark === shelved) {
      const kept = shelf.at(rows[at + body]!);
      into.slots = kept.slots;
      into.policy = kept.policy;
    } else {
      into.slots = free;
      into.policy = frames!.policyOf(mark);
      frames!.read(mark, rows, at + body, free);
    }
  }

  function release(rows: Uint32Array, at: number): void {
    const mark = markAt(rows, at);
    if (mark === shelved) shelf.takeAway(rows[at + body]!);
    else frames!.leave(mark);
  }

  function drop(place: Place): void {
    release(place.segment.rows, place.at);
    table.remove(place);
  }

  return {
    entry,
    seen,
    drop,

    get size() {
      return table.size;
    },

    find(key) {
      hash(key, sought);
      known = table.find(sought, here);
      if (known) read(here, entry, scratch);
      else if (frames === undefined) entry.slots = new Array<number>(header.length).fill(0);
      else entry.slots = scratch.fill(0);
      return known;
    },

    save(by) {
      const { slots } = entry;
      const was = known ? markAt(here.segment.rows, here.at) : 0;
      if (was === shelved) {
        shelf.at(here.segment.rows[here.at + body]!).policy = by;
        return;
      }
      const mark = frames?.fitting(slots, by, was) || shelved;
      if (!known) table.add(sought, mark, here);
      known = true;
      const { rows } = here.segment;
      if (mark !== was) {
        if (was !== 0) frames!.leave(was);
        setMark(rows, here.at, mark);
        if (mark !== shelved) frames!.enter(mark);
      }
      if (mark !== shelved) frames!.write(mark, rows, here.at + body, slots);
      else
        rows[here.at + body] = shelf.put({
          slots: slots === scratch ? [...slots] : slots,
          policy: by,
        });
    },

    forget(key) {
      hash(key, sought);
      if (table.find(sought, here)) drop(here);
      known = false;
    },

    step() {
      const met = table.step(seen);
      if (met === "row") read(seen, seen, seenScratch);
      return met;
    },
  };
}
