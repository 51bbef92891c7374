import type { Algorithm } from "../algorithm.ts";
import { levelAt, tokenBucket } from "./token-bucket.ts";

/**
 * Queues up to `burst` requests that leave evenly, `limit` per window. Admission, state and Lua twin are the token
 * bucket's; only the view differs: a request just admitted gets the delay until its turn in the outflow, none for the
 * first, one interval for the next.
 *
 * Params: the token bucket's, then whether requests are held at all.
 */
export const leakyBucket: Algorithm = {
  ...tokenBucket,
  name: "leaky-bucket",
  isLeasable: false,
  kind: () => "leaky-bucket",
  params: (settings) => [...tokenBucket.params(settings), settings.delay ? 1 : 0],

  view(report, now, cost, p) {
    const ahead = levelAt(report as number[], now, p) - cost * p[2]!;
    const { remaining, retryAfter, resetAfter } = tokenBucket.view(report, now, cost, p);
    const delay = p[7] === 1 && ahead > 0 ? Math.ceil(ahead / p[3]!) : 0;
    return { remaining, retryAfter, resetAfter, delay };
  },
};
