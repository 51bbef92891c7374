/** The largest possible cost; no lower limit ever admits it. */
export const unaffordable: number = Number.MAX_SAFE_INTEGER;

/** Adds whole numbers, 0 or more; at most `unaffordable`. */
export function plus(a: number, b: number): number {
  return Math.min(a + b, unaffordable);
}

/** Multiplies whole numbers, 0 or more; at most `unaffordable`. */
export function times(a: number, b: number): number {
  return Math.min(a * b, unaffordable);
}
