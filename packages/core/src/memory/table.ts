import type { Hash } from "./key-hash.ts";
import {
  closeRow,
  emptySegment,
  markAt,
  openRow,
  resized,
  type Segment,
  seek,
  split,
} from "./segment.ts";

/** Where a row stands, until a row is added or removed. */
export interface Place {
  segment: Segment;
  /** Offset of the row's first word in `segment.rows`. */
  at: number;
}

/**
 * Keeps rows by the 64-bit hashes of their keys, in segments that the last bits of a hash find. A segment that is
 * full grows by a quarter; one that would grow past its most is split in two by the next bit of the hash. So the
 * longest that a call ever takes is the copy of one segment, whatever the number of rows.
 */
export interface Table {
  readonly size: number;
  /** Finds the row of a hash. */
  find(hash: Hash, place: Place): boolean;
  /** Adds a row for a hash that has none: a mark of 1 to 255, and zeros. */
  add(hash: Hash, mark: number, place: Place): void;
  remove(place: Place): void;
  /** Moves the table's hand on by one place: to a row, to none, or past the last one, from where it begins anew. */
  step(place: Place): "row" | "gap" | "end";
}

/** The bits that find a segment at first. A row's mark takes their place, so they may not be fewer. */
const firstDepth = 8;
/** 64 million segments: more than any machine has memory for. */
const lastDepth = 26;
/** The fewest homes of a segment, and the most: to copy those takes some tenths of a millisecond. */
const fewest = 8;
const most = 2 ** 14;
/** The share of its homes that a segment may fill, and the share that it fills when it was just copied. */
const fullest = 7 / 8;
const freshest = 7 / 10;

/** Makes a table of rows of `width` words, of which the first two belong to the table, but for the mark. */
export function createTable(width: number): Table {
  let directory = new Array<Segment | undefined>(2 ** firstDepth).fill(undefined);
  let depth = firstDepth;
  let size = 0;
  let slot = 0;
  let hand = -width;

  function lead(to: Segment | undefined, { depth: bits, shared }: Segment): void {
    for (let i = shared; i < directory.length; i += 2 ** bits) directory[i] = to;
  }

  function enlarge(segment: Segment): void {
    const homes = homesFor(segment.count + 1);
    if (homes <= most || segment.depth === lastDepth) replace(segment, homes);
    else divide(segment, homes / 2);
  }

  function divide(segment: Segment, homes: number): void {
    if (segment.depth === depth) {
      directory = directory.concat(directory);
      depth++;
    }
    for (const half of split(segment, homes)) lead(half, half);
  }

  function replace(segment: Segment, homes: number): void {
    lead(resized(segment, homes), segment);
  }

  function segmentFor(low: number): Segment {
    const at = low & (directory.length - 1);
    const known = directory[at];
    if (known !== undefined) return known;
    const segment = emptySegment(width, homesFor(0), depth, at);
    directory[at] = segment;
    return segment;
  }

  return {
    get size() {
      return size;
    },

    find(hash, place) {
      const segment = directory[hash[1]! & (directory.length - 1)];
      if (segment === undefined) return false;
      const at = seek(segment, hash[0]!, hash[1]!);
      if (at < 0) return false;
      place.segment = segment;
      place.at = at;
      return true;
    },

    add(hash, mark, place) {
      const high = hash[0]!;
      const low = hash[1]!;
      let segment = segmentFor(low);
      if (segment.count >= segment.homes * fullest) {
        enlarge(segment);
        segment = segmentFor(low);
      }
      let at = ~seek(segment, high, low);
      while (!openRow(segment, at, high, low, mark)) {
        // Rows have piled up at the right end, where a copy has room again.
        replace(segment, segment.homes);
        segment = segmentFor(low);
        at = ~seek(segment, high, low);
      }
      size++;
      place.segment = segment;
      place.at = at;
    },

    remove({ segment, at }) {
      closeRow(segment, at);
      size--;
      const atHand = segment === directory[slot];
      // The row to the right may have moved here.
      if (atHand && at <= hand) hand -= width;
      const homes = homesFor(segment.count);
      if (segment.count === 0) lead(undefined, segment);
      else if (homes * 2 >= segment.homes) return;
      else replace(segment, homes);
      if (atHand) hand = -width;
    },

    step(place) {
      const segment = directory[slot];
      // A segment that shares fewer bits than the directory reads stands in it more than once.
      if (segment !== undefined && slot === segment.shared) {
        hand += width;
        if (hand < segment.rows.length) {
          place.segment = segment;
          place.at = hand;
          return markAt(segment.rows, hand) === 0 ? "gap" : "row";
        }
      }
      hand = -width;
      slot++;
      if (slot < directory.length) return "gap";
      slot = 0;
      return "end";
    },
  };
}

function homesFor(count: number): number {
  return Math.max(fewest, Math.ceil(count / freshest));
}
