import { type Census, createCensus, recount } from "./census.ts";
import type { Hash } from "./key-hash.ts";
import {
  closeRow,
  emptySegment,
  markAt,
  noSegment,
  openRow,
  resized,
  type Segment,
  seek,
  split,
} from "./segment.ts";

/**
 * Stores rows by the 64-bit hashes of their keys, in segments found by a hash's last bits. A full segment grows by a
 * quarter; one that would exceed the maximum is split in two by the next bit of the hash. So the longest that a call
 * takes is the copy of one segment, whatever the number of rows.
 *
 * Data and functions, here and in the files beside, unlike elsewhere: closures cost twice as much once a process has
 * two stores.
 */
export interface Table {
  /** Words per row; the first two, except for the mark, belong to the table. */
  readonly width: number;
  /** Segments by the last `depth` bits of their hashes; one that shares fewer bits appears more than once. */
  directory: Segment[];
  depth: number;
  size: number;
  /** Counts the rows of this and other tables. */
  readonly census: Census;
  /** Where the next regular sweep goes on; and the next eviction, with the sweeps on the way of new keys. */
  readonly sweeping: Hand;
  readonly evicting: Hand;
}

/**
 * Visits the places of a table in turn. Regular sweeps and evictions have one each: a sweep that left the hand at the
 * start of the table time and again would have every eviction compare the same keys.
 */
export interface Hand {
  /** Index of the directory. */
  slot: number;
  /** Offset in that segment's rows; below 0 before its first row. */
  at: number;
}

/** The position of a row, valid until a row is added or removed. */
export interface Place {
  segment: Segment;
  /** Offset of the row's first word in `segment.rows`. */
  at: number;
}

/** Initial bits that find a segment. A row's mark replaces them, so there may not be fewer. */
const firstDepth = 8;
/** Minimum and maximum homes of a segment: copying the maximum takes some tenths of a millisecond. */
const minHomes = 8;
const maxHomes = 2 ** 14;
/** The share of its homes that a segment may fill, and the share filled right after a copy. */
const fullest = 0.8;
const freshest = 0.64;

/** Creates an empty table. */
export function createTable(width: number, census: Census = createCensus()): Table {
  const directory = new Array<Segment>(2 ** firstDepth).fill(noSegment);
  const hand = (): Hand => ({ slot: 0, at: -width });
  return {
    width,
    directory,
    depth: firstDepth,
    size: 0,
    census,
    sweeping: hand(),
    evicting: hand(),
  };
}

/** Finds the row of a hash; if there is none, `place` is where it belongs. */
export function findRow(table: Table, hash: Hash, place: Place): boolean {
  const segment = table.directory[hash[1]! & (table.directory.length - 1)]!;
  const at = seek(segment, hash[0]!, hash[1]!);
  place.segment = segment;
  place.at = at < 0 ? ~at : at;
  return at >= 0;
}

/** Adds a row with a mark of 1 to 255 for a hash that was not found, at the place where it belongs. */
export function addRow(table: Table, hash: Hash, mark: number, place: Place): void {
  const high = hash[0]!;
  const low = hash[1]!;
  if (place.segment.count >= place.segment.homes * fullest) {
    enlarge(table, place.segment, low);
    findRow(table, hash, place);
  }
  while (!openRow(place.segment, place.at, high, low, mark)) {
    // Rows have piled up at the right end; a copy has room again.
    replace(table, place.segment, place.segment.homes);
    findRow(table, hash, place);
  }
  recount(table.census, table.size, ++table.size);
}

/** Removes the row at a place; a segment that has become too large shrinks. */
export function removeRow(table: Table, { segment, at }: Place): void {
  closeRow(segment, at);
  recount(table.census, table.size, --table.size);
  const homes = homesFor(segment.count);
  const keeps = segment.count > 0 && homes * 2 >= segment.homes;
  settleHand(table, table.sweeping, segment, at, keeps);
  settleHand(table, table.evicting, segment, at, keeps);
  if (keeps) return;
  if (segment.count === 0) lead(table, segment, noSegment);
  else replace(table, segment, homes);
}

/** Keeps a hand in its segment, from which a row was removed, or which will be replaced. */
function settleHand(
  { width, directory }: Table,
  hand: Hand,
  segment: Segment,
  at: number,
  keeps: boolean,
): void {
  if (segment !== directory[hand.slot]) return;
  if (!keeps) hand.at = -width;
  // The row to the right may have moved here.
  else if (at <= hand.at) hand.at -= width;
}

/** Moves a hand on by one place: to a row, to a gap, or past the end, after which it starts over. */
export function stepHand(
  { directory, width }: Table,
  hand: Hand,
  place: Place,
): "row" | "gap" | "end" {
  const segment = directory[hand.slot]!;
  if (hand.slot === segment.shared) {
    hand.at += width;
    if (hand.at < segment.rows.length) {
      place.segment = segment;
      place.at = hand.at;
      return markAt(segment.rows, hand.at) === 0 ? "gap" : "row";
    }
  }
  hand.at = -width;
  hand.slot++;
  if (hand.slot < directory.length) return "gap";
  hand.slot = 0;
  return "end";
}

/** Makes room for the row of a hash in its segment. */
function enlarge(table: Table, segment: Segment, low: number): void {
  const homes = homesFor(segment.count + 1);
  if (segment === noSegment) {
    const slot = low & (table.directory.length - 1);
    table.directory[slot] = emptySegment(table.width, homes, table.depth, slot);
  } else if (homes <= maxHomes) {
    replace(table, segment, homes);
  } else {
    divide(table, segment, homes >>> 1);
  }
}

function divide(table: Table, segment: Segment, homes: number): void {
  if (segment.depth === table.depth) {
    table.directory = table.directory.concat(table.directory);
    table.depth++;
  }
  for (const half of split(segment, homes)) lead(table, half, half);
}

function replace(table: Table, segment: Segment, homes: number): void {
  lead(table, segment, resized(segment, homes));
}

/** Points the directory to another segment wherever a hash shares the bits of `by`. */
function lead({ directory }: Table, by: Segment, to: Segment): void {
  for (let i = by.shared; i < directory.length; i += 2 ** by.depth) directory[i] = to;
}

function homesFor(count: number): number {
  return Math.max(minHomes, Math.ceil(count / freshest));
}
