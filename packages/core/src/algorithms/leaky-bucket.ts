import type { Algorithm } from "../algorithm.ts";
import { levelAt, tokenBucket } from "./token-bucket.ts";

/**
 * Queues up to `burst` requests that leave evenly, `limit` per window. Whom it admits is the token bucket's
 * decision, state and Lua twin alike; what differs is the answer: a request that was just admitted is told the delay
 * until its place in the outflow, the first none, the next one interval.
 *
 * Params: the token bucket's, then whether requests are held at all.
 */
export const leakyBucket: Algorithm = {
  ...tokenBucket,
  name: "leaky-bucket",
  kind: () => "leaky-bucket",
  params: (settings) => [...tokenBucket.params(settings), settings.delay ? 1 : 0],

  view(report, now, cost, p) {
    const ahead = levelAt(report as number[], now, p) - cost * p[2]!;
    const { remaining, retryAfter, resetAfter } = tokenBucket.view(report, now, cost, p);
    const delay = p[7] === 1 && ahead > 0 ? Math.ceil(ahead / p[3]!) : 0;
    return { remaining, retryAfter, resetAfter, delay };
  },
};
