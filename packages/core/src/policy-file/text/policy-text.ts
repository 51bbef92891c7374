/** A parsed policy file: its value, and the position of each part. */
export interface PolicyText {
  readonly value: unknown;
  /** Returns the position of a value, or of the name before it; for a missing part, of the closest part around it. */
  placeAt(path: readonly PropertyKey[], name: boolean): Place;
}

/** Counted from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Why a string could not be parsed. */
export interface Fault extends Place {
  readonly expected: string;
  readonly received: string;
  /** The error thrown, if any. */
  readonly cause?: unknown;
}

/** Returns the position of an offset in a string. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}

/** Whether a string is not policies but looks like the path of a policy file. */
export function isPath(text: string): boolean {
  return /^\s*[^\s:{[]+\.(?:json|ya?ml)\s*$/i.test(text);
}
