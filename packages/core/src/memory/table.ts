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
  /** The hand: an index of the directory, and an offset there. */
  slot: number;
  hand: number;
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
  return { width, directory, depth: firstDepth, size: 0, census, slot: 0, hand: -width };
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

export function removeRow(table: Table, { segment, at }: Place): void {
  closeRow(segment, at);
  recount(table.census, table.size, --table.size);
  const atHand = segment === table.directory[table.slot];
  // The row to the right may have moved here.
  if (atHand && at <= table.hand) table.hand -= table.width;
  const homes = homesFor(segment.count);
  if (segment.count === 0) lead(table, segment, noSegment);
  else if (homes * 2 >= segment.homes) return;
  else replace(table, segment, homes);
  if (atHand) table.hand = -table.width;
}

/** Moves the hand on by one place: to a row, to a gap, or past the end, after which it starts over. */
export function stepHand(table: Table, place: Place): "row" | "gap" | "end" {
  const segment = table.directory[table.slot]!;
  if (table.slot === segment.shared) {
    table.hand += table.width;
    if (table.hand < segment.rows.length) {
      place.segment = segment;
      place.at = table.hand;
      return markAt(segment.rows, table.hand) === 0 ? "gap" : "row";
    }
  }
  table.hand = -table.width;
  table.slot++;
  if (table.slot < table.directory.length) return "gap";
  table.slot = 0;
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
