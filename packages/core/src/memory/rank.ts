import { isFresh, type KeyEntry } from "./register.ts";

/** The rank of a key that is evicted before all others. */
export const first = 2;

/**
 * Ranks a key of a full store from -2 to 2; the highest is evicted. Expired keys come first, then those with most of
 * their limit left, then exhausted ones, then those that a ban must not lose. A spared key comes after all others with
 * some left, and last of the exhausted ones.
 */
export function rankOf(entry: KeyEntry, spared: boolean, now: number): number {
  const room = allowanceOf(entry, now);
  if (room === 1) return first;
  if (spared) return room === 0 ? -Number.MIN_VALUE : room;
  return room > 0 ? 1 + room : room;
}

/** Returns how much of its limit a key has left, 0 to 1; 1 when expired; below 0 for what a ban must not lose. */
function allowanceOf(entry: KeyEntry, now: number): number {
  if (isFresh(entry, now)) return 1;
  const { slots, policy } = entry;
  const { algorithm, limit } = policy;
  const params = policy.params(now);
  const hold = algorithm.retention?.(slots, now, params) ?? 0;
  if (hold > 0) return -hold;
  const report = algorithm.report(slots, now, 1, params);
  const { remaining } = algorithm.view(report, now, 1, params);
  return limit === 0 ? 0 : Math.min(remaining / limit, 0.999);
}
