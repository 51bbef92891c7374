/** The largest whole number that a cost can be: no limit below it ever admits it. */
export const unaffordable: number = Number.MAX_SAFE_INTEGER;

/** Adds whole numbers of 0 and more; never more than `unaffordable`. */
export function plus(a: number, b: number): number {
  return Math.min(a + b, unaffordable);
}

/** Multiplies whole numbers of 0 and more; never more than `unaffordable`. */
export function times(a: number, b: number): number {
  return Math.min(a * b, unaffordable);
}
