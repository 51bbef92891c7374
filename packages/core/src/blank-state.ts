import type { Algorithm, Params } from "./algorithm.ts";

/** No algorithm reports more numbers; a log keeps more, and reports a digest of them. */
const maxReported = 128;

/** Creates the state of a key never seen, as far as reports read it. */
export function blankState(algorithm: Algorithm, params: Params): number[] {
  return new Array<number>(Math.min(algorithm.slots(params), maxReported)).fill(0);
}
