/** Milliseconds since the epoch, whole. */
export type Clock = () => number;

const origin = performance.timeOrigin;

/**
 * Reads the machine's clock: epoch milliseconds that never step back while the process lives, whatever is done to
 * the wall clock meanwhile. The only place that reads the machine.
 */
export const systemClock: Clock = () => Math.floor(origin + performance.now());
