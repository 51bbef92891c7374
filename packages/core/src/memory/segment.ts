/**
 * A run of rows of 32-bit words that are found by a 64-bit hash: open addressing, in order.
 *
 * A row's first word is the hash's high word; its second word is the hash's low word, with a mark in place of the last
 * byte, which all rows share. Invariants:
 * - a mark of 0 means an empty row;
 * - rows ascend by their first word, so that a search ends early and a copy is one pass from left to right;
 * - a row stands at its home, `high · homes / 2^32`, or to the right of it with no empty row between;
 * - the rows beyond the homes are there so that nothing ever wraps round.
 */
export interface Segment {
  readonly rows: Uint32Array;
  /** Words per row. */
  readonly width: number;
  readonly homes: number;
  /** How many low bits all of its hashes share, at least 8, and which. */
  readonly depth: number;
  readonly shared: number;
  count: number;
}

const markBits = 0xff;
/** The empty rows past the last one of a copy. */
const spare = 8;

/** Makes a segment without rows, of so many homes and with room for rows up to `end`. */
export function emptySegment(
  width: number,
  homes: number,
  depth: number,
  shared: number,
  end = 0,
): Segment {
  const rows = new Uint32Array((Math.max(homes, end) + spare) * width);
  return { rows, width, homes, depth, shared, count: 0 };
}

/** The offset of the row of a hash; where there is none, the complement (`~`) of the offset where it belongs. */
export function seek({ rows, width, homes }: Segment, high: number, low: number): number {
  const { length } = rows;
  let at = homeOf(high, homes) * width;
  for (; at < length; at += width) {
    const second = rows[at + 1]!;
    if ((second & markBits) === 0) break;
    const first = rows[at]!;
    if (first > high) break;
    if (first === high && ((second ^ low) & ~markBits) === 0) return at;
  }
  return ~at;
}

/**
 * Makes a row of a mark and zeros at an offset that `seek` answered, moving others right; false where no room is left
 * to move them to.
 */
export function openRow(
  segment: Segment,
  at: number,
  high: number,
  low: number,
  mark: number,
): boolean {
  const { rows, width } = segment;
  let end = at;
  while (end < rows.length && markAt(rows, end) !== 0) end += width;
  if (end >= rows.length) return false;
  if (end > at) rows.copyWithin(at + width, at, end);
  rows[at] = high;
  rows[at + 1] = (low & ~markBits) | mark;
  for (let i = 2; i < width; i++) rows[at + i] = 0;
  segment.count++;
  return true;
}

/** Empties a row, and moves those that stand right of their homes left into the gap. */
export function closeRow(segment: Segment, at: number): void {
  const { rows, width, homes } = segment;
  let end = at + width;
  while (end < rows.length && markAt(rows, end) !== 0 && homeOf(rows[end]!, homes) * width < end) {
    end += width;
  }
  rows.copyWithin(at, at + width, end);
  rows[end - width + 1] = 0;
  segment.count--;
}

export function markAt(rows: Uint32Array, at: number): number {
  return rows[at + 1]! & markBits;
}

export function setMark(rows: Uint32Array, at: number, mark: number): void {
  rows[at + 1] = (rows[at + 1]! & ~markBits) | mark;
}

/** Copies a segment into one of so many homes. */
export function resized(from: Segment, homes: number): Segment {
  return copied(from, homes, from.depth, from.shared);
}

/** Copies a segment into two, told apart by one more bit of their hashes. */
export function split(from: Segment, homes: number): [Segment, Segment] {
  const depth = from.depth + 1;
  return [
    copied(from, homes, depth, from.shared),
    copied(from, homes, depth, from.shared + 2 ** from.depth),
  ];
}

function copied(from: Segment, homes: number, depth: number, shared: number): Segment {
  const { rows, width } = from;
  const bit = 2 ** depth - 2 ** from.depth;
  let next = 0;
  for (let at = 0; at < rows.length; at += width) {
    if (markAt(rows, at) === 0 || ((rows[at + 1]! ^ shared) & bit) !== 0) continue;
    next = Math.max(homeOf(rows[at]!, homes), next) + 1;
  }
  const to = emptySegment(width, homes, depth, shared, next);
  next = 0;
  for (let at = 0; at < rows.length; at += width) {
    if (markAt(rows, at) === 0 || ((rows[at + 1]! ^ shared) & bit) !== 0) continue;
    const index = Math.max(homeOf(rows[at]!, homes), next);
    for (let i = 0; i < width; i++) to.rows[index * width + i] = rows[at + i]!;
    next = index + 1;
    to.count++;
  }
  return to;
}

function homeOf(high: number, homes: number): number {
  return Math.floor((high * homes) / 0x1_0000_0000);
}
