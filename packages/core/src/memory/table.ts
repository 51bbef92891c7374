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

/**
 * Keeps rows by the 64-bit hashes of their keys, in segments that the last bits of a hash find. A segment that is
 * full grows by a quarter; one that would grow past its most is split in two by the next bit of the hash. So the
 * longest that a call ever takes is the copy of one segment, whatever the number of rows.
 *
 * Data and functions, here and in the files beside, where the rest of the house has closures: those cost twice as
 * much once a process holds two stores.
 */
export interface Table {
  /** Words per row, of which the first two belong to the table, but for the mark. */
  readonly width: number;
  /** Segments by the last `depth` bits of their hashes; one that shares fewer of them stands here more than once. */
  directory: (Segment | undefined)[];
  depth: number;
  size: number;
  /** The hand: which place of the directory, and which row there. */
  slot: number;
  hand: number;
}

/** Where a row stands, until a row is added or removed. */
export interface Place {
  segment: Segment;
  /** Offset of the row's first word in `segment.rows`. */
  at: number;
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

export function createTable(width: number): Table {
  const directory = new Array<undefined>(2 ** firstDepth).fill(undefined);
  return { width, directory, depth: firstDepth, size: 0, slot: 0, hand: -width };
}

/** Finds the row of a hash. */
export function findRow(table: Table, hash: Hash, place: Place): boolean {
  const { directory } = table;
  const segment = directory[hash[1]! & (directory.length - 1)];
  if (segment === undefined) return false;
  const at = seek(segment, hash[0]!, hash[1]!);
  if (at < 0) return false;
  place.segment = segment;
  place.at = at;
  return true;
}

/** Adds a row for a hash that has none: a mark of 1 to 255, and zeros. */
export function addRow(table: Table, hash: Hash, mark: number, place: Place): void {
  const high = hash[0]!;
  const low = hash[1]!;
  let segment = segmentFor(table, low);
  if (segment.count >= segment.homes * fullest) {
    enlarge(table, segment);
    segment = segmentFor(table, low);
  }
  let at = ~seek(segment, high, low);
  while (!openRow(segment, at, high, low, mark)) {
    // Rows have piled up at the right end, where a copy has room again.
    replace(table, segment, segment.homes);
    segment = segmentFor(table, low);
    at = ~seek(segment, high, low);
  }
  table.size++;
  place.segment = segment;
  place.at = at;
}

export function removeRow(table: Table, { segment, at }: Place): void {
  closeRow(segment, at);
  table.size--;
  const atHand = segment === table.directory[table.slot];
  // The row to the right may have moved here.
  if (atHand && at <= table.hand) table.hand -= table.width;
  const homes = homesFor(segment.count);
  if (segment.count === 0) lead(table, segment, undefined);
  else if (homes * 2 >= segment.homes) return;
  else replace(table, segment, homes);
  if (atHand) table.hand = -table.width;
}

/** Moves the table's hand on by one place: to a row, to none, or past the last one, from where it begins anew. */
export function stepHand(table: Table, place: Place): "row" | "gap" | "end" {
  const segment = table.directory[table.slot];
  if (segment !== undefined && table.slot === segment.shared) {
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

function segmentFor(table: Table, low: number): Segment {
  const slot = low & (table.directory.length - 1);
  const known = table.directory[slot];
  if (known !== undefined) return known;
  const segment = emptySegment(table.width, fewest, table.depth, slot);
  table.directory[slot] = segment;
  return segment;
}

function enlarge(table: Table, segment: Segment): void {
  const homes = homesFor(segment.count + 1);
  if (homes <= most || segment.depth === lastDepth) {
    replace(table, segment, homes);
    return;
  }
  if (segment.depth === table.depth) {
    table.directory = table.directory.concat(table.directory);
    table.depth++;
  }
  for (const half of split(segment, homes / 2)) lead(table, half, half);
}

function replace(table: Table, segment: Segment, homes: number): void {
  lead(table, segment, resized(segment, homes));
}

/** Lets the directory lead to a segment, or to none, wherever a hash shares the bits of `by`. */
function lead({ directory }: Table, by: Segment, to: Segment | undefined): void {
  for (let i = by.shared; i < directory.length; i += 2 ** by.depth) directory[i] = to;
}

function homesFor(count: number): number {
  return Math.max(fewest, Math.ceil(count / freshest));
}
