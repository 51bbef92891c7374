/**
 * A run of rows of 32-bit words, found by a 64-bit hash: ordered open addressing.
 *
 * A row's first word is the hash's high word; its second word is the hash's low word, with a mark instead of the last
 * byte, which all rows share. Invariants:
 * - a mark of 0 means an empty row;
 * - rows ascend by their signed first word, so that a search ends early and a copy is one pass from left to right;
 * - a row is at its home, `homeOf`, or to the right of it without an empty row between;
 * - extra rows beyond the homes ensure that nothing ever wraps around.
 */
export interface Segment {
  readonly rows: Uint32Array;
  /** The same words, signed, which an engine always keeps as small integers. */
  readonly heads: Int32Array;
  /** Words per row. */
  readonly width: number;
  readonly homes: number;
  /** How many low bits all of its hashes share, at least 8, and their value. */
  readonly depth: number;
  readonly shared: number;
  count: number;
}

const markBits = 0xff;
const sign = 1 << 31;

/** Rows beyond the homes, unless more are needed. */
const beyond = 16;

/** Creates a segment without rows. */
export function emptySegment(
  width: number,
  homes: number,
  depth: number,
  shared: number,
  spare: number = beyond,
): Segment {
  const rows = new Uint32Array((homes + spare) * width);
  const heads = new Int32Array(rows.buffer);
  return { rows, heads, width, homes, depth, shared, count: 0 };
}

/** Represents the absence of a segment: no homes, no rows. */
export const noSegment: Segment = emptySegment(1, 0, 0, -1, 0);

/** Returns the offset of a hash's row; if there is none, the complement (`~`) of the offset where it belongs. */
export function seek({ heads, width, homes }: Segment, high: number, low: number): number {
  const { length } = heads;
  let at = homeOf(high, homes) * width;
  for (; at < length; at += width) {
    const second = heads[at + 1]!;
    if ((second & markBits) === 0) break;
    const first = heads[at]!;
    if (first > high) break;
    if (first === high && ((second ^ low) & ~markBits) === 0) return at;
  }
  return ~at;
}

/**
 * Inserts a row at the offset where it belongs, moving others right: sets its hash and mark; its other words are
 * arbitrary. Returns false when there is no room to move the others.
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
  segment.count++;
  return true;
}

/** Removes a row, and moves those right of their homes left into the gap. */
export function closeRow(segment: Segment, at: number): void {
  const { rows, heads, width, homes } = segment;
  let end = at + width;
  while (end < rows.length && markAt(rows, end) !== 0 && homeOf(heads[end]!, homes) * width < end) {
    end += width;
  }
  rows.copyWithin(at, at + width, end);
  rows[end - width + 1] = 0;
  segment.count--;
}

/** Returns the mark of a row. */
export function markAt(rows: Uint32Array, at: number): number {
  return rows[at + 1]! & markBits;
}

/** Sets the mark of a row. */
export function setMark(rows: Uint32Array, at: number, mark: number): void {
  rows[at + 1] = (rows[at + 1]! & ~markBits) | mark;
}

/** Copies a segment into one with so many homes. */
export function resized(from: Segment, homes: number): Segment {
  return copied(from, homes, from.depth, from.shared, beyond);
}

/** Copies a segment into two, distinguished by one more bit of their hashes. */
export function split(from: Segment, homes: number): [Segment, Segment] {
  const depth = from.depth + 1;
  return [
    copied(from, homes, depth, from.shared, beyond),
    copied(from, homes, depth, from.shared + 2 ** from.depth, beyond),
  ];
}

function copied(
  from: Segment,
  homes: number,
  depth: number,
  shared: number,
  spare: number,
): Segment {
  const to = emptySegment(from.width, homes, depth, shared, spare);
  const bit = 2 ** depth - 2 ** from.depth;
  return copyRows(from, to, bit) ? to : copied(from, homes, depth, shared, spare * 2);
}

/** Copies the rows that share a bit with the target; returns false when they pile up past its last row. */
function copyRows(from: Segment, to: Segment, bit: number): boolean {
  const { width } = from;
  let next = 0;
  for (let at = 0; at < from.rows.length; at += width) {
    if (markAt(from.rows, at) === 0 || ((from.rows[at + 1]! ^ to.shared) & bit) !== 0) continue;
    const target = Math.max(homeOf(from.heads[at]!, to.homes) * width, next);
    // Keeps one row empty for the row that made the copy necessary.
    if (target + width >= to.rows.length) return false;
    for (let i = 0; i < width; i++) to.rows[target + i] = from.rows[at + i]!;
    next = target + width;
    to.count++;
  }
  return true;
}

/**
 * Returns a hash's home. Uses 17 bits of it, so that with up to 2^14 homes nothing exceeds the 31 bits of a small
 * integer. The lowest signed words are leftmost.
 */
function homeOf(high: number, homes: number): number {
  return (((high ^ sign) >>> 15) * homes) >>> 17;
}
