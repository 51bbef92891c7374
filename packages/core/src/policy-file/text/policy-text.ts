/** A policy file as it was read: what it says, and where each part of it stands. */
export interface PolicyText {
  readonly value: unknown;
  /** Where a value stands, or the name before it; of a part that is not there, what it should have stood in. */
  placeAt(path: readonly PropertyKey[], name: boolean): Place;
}

/** Counted from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Why a string could not be read at all. */
export interface Fault extends Place {
  readonly expected: string;
  readonly received: string;
  /** What was thrown, where something was. */
  readonly cause?: unknown;
}

/** Tells where an offset into a string stands. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}

/** Whether a string is no policies, but looks like the path of a file that has some. */
export function isPath(text: string): boolean {
  return /^\s*[^\s:{[]+\.(?:json|ya?ml)\s*$/i.test(text);
}
