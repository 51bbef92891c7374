import type { Params, Slots, View } from "../algorithm.ts";

// Sub-windows of a sliding window, for any number and any former width. Slots and params are those of
// sliding-window.ts.

/** Does what the algorithm's `take` does, for a cost of at most the limit. */
export function takeCounted(s: Slots, now: number, cost: number, p: Params): boolean {
  const [limit, w, m, countRefused] = p as [number, number, number, number];
  const n = counts(s, now, p);
  let sum = cost - limit;
  for (let j = 0; j < m; j++) sum += n[j]!;
  const fits = sum * w + n[m]! * (w - elapsedOf(now, w)) <= 0;
  const moved = steppedBack(s, now, w);
  if (fits) n[0]! += cost;
  else if (countRefused === 1) n[0] = Math.max(n[0]!, Math.min(n[0]! + cost, limit));
  else if (!moved) return false;
  write(s, n, now, p);
  return fits;
}

/** Does what the algorithm's `view` does. */
export function viewCounted(s: Slots, now: number, cost: number, p: Params): View {
  const [limit, w, m] = p as [number, number, number];
  const elapsed = elapsedOf(now, w);
  const n = counts(s, now, p);
  let used = 0;
  for (let j = 0; j < m; j++) used += n[j]!;
  const fading = n[m]! * (w - elapsed);
  const fits = (used + cost - limit) * w + fading <= 0;
  let newest = 0;
  while (newest <= m && n[newest] === 0) newest++;
  // While the clock is behind, this reports what a `take` would.
  const expires = steppedBack(s, now, w) ? Infinity : endOf(s, p);
  const leaves = w - elapsed + (m - newest) * w;
  return {
    remaining: Math.max(0, limit - used - Math.ceil(fading / w)),
    retryAfter: cost > limit ? Infinity : cost === 0 || fits ? 0 : wait(s, now, cost, p),
    resetAfter: newest > m ? 0 : Math.min(leaves, expires - now),
    delay: 0,
  };
}

/** Moves counts that are ahead of the clock to the present. */
export function markCounted(s: Slots, now: number, p: Params): void {
  if (steppedBack(s, now, p[1]!)) write(s, counts(s, now, p), now, p);
}

/** Returns when the last count leaves the window that it was made under; 0 when nothing is counted. */
export function endOf(s: Slots, p: Params): number {
  const m = p[2]!;
  for (let j = 0; j <= m; j++) if (s[3 + j]! > 0) return (s[0]! - j + m + 1) * s[1]!;
  return 0;
}

/** Returns the milliseconds since a sub-window began. Avoids `%`, which is a function call for numbers above 2^32. */
function elapsedOf(now: number, w: number): number {
  return now - Math.floor(now / w) * w;
}

/** Returns the m + 1 counts at `now`, newest first, in sub-windows of the current width. */
function counts(s: Slots, now: number, p: Params): number[] {
  const w = p[1]!;
  const m = p[2]!;
  const was = s[1]!;
  const n: number[] = [0, 0];
  for (let j = 2; j <= m; j++) n.push(0);
  if (was === 0) return n;
  const k = Math.floor(now / w);
  if (steppedBack(s, now, w)) {
    for (let j = 0; j < m; j++) n[0]! += s[3 + j]!;
    n[0]! += Math.ceil((s[3 + m]! * (was - s[2]!)) / was);
    return n;
  }
  for (let j = 0; j <= m; j++) {
    const stop = (s[0]! - j + 1) * was;
    const seen = j === 0 ? s[0]! * was + s[2]! : stop - 1;
    const i = was === w ? k - s[0]! + j : k - Math.floor(seen / w);
    if (i >= 0 && i <= m && now < stop + m * was) n[i]! += s[3 + j]!;
  }
  return n;
}

function write(s: Slots, n: readonly number[], now: number, p: Params): void {
  const w = p[1]!;
  const elapsed = elapsedOf(now, w);
  s[0] = (now - elapsed) / w;
  s[1] = w;
  s[2] = elapsed;
  for (let j = 0; j <= p[2]!; j++) s[3 + j] = n[j]!;
}

/** Whether the latest charge is ahead of the clock; within its own sub-window that does not matter. */
function steppedBack(s: Slots, now: number, w: number): boolean {
  const start = s[0]! * s[1]!;
  return now < start + s[2]! && (s[1] !== w || now < start);
}

/**
 * Returns the milliseconds until `cost` fits. Counts made under another width may be forgotten before they leave this
 * window.
 */
function wait(s: Slots, now: number, cost: number, p: Params): number {
  const w = p[1]!;
  let at = now;
  while (true) {
    const fits = at + walk(counts(s, at, p), elapsedOf(at, w), cost, p);
    if (s[1] === w || steppedBack(s, now, w)) return fits - now;
    const forgotten = nextForgotten(s, at, p);
    if (fits <= forgotten) return fits - now;
    at = forgotten;
  }
}

/** Follows the excess, in units of 1 / width, through the sub-windows as they leave; returns the wait. */
function walk(n: readonly number[], elapsed: number, cost: number, p: Params): number {
  const [limit, w, m] = p as [number, number, number];
  let sum = cost - limit;
  for (let j = 0; j < m; j++) sum += n[j]!;
  const fading = n[m]! * (w - elapsed);
  let excess = sum * w + fading;
  if (excess <= 0) return 0;
  if (excess <= fading) return Math.ceil(excess / n[m]!);
  excess -= fading;
  let waited = w - elapsed;
  for (let j = m - 1; j >= 0; j--) {
    if (n[j]! * w >= excess) return waited + Math.ceil(excess / n[j]!);
    excess -= n[j]! * w;
    waited += w;
  }
  return waited;
}

/** Returns the first time after `at` when a count is forgotten with the window that it was made under. */
function nextForgotten(s: Slots, at: number, p: Params): number {
  const m = p[2]!;
  for (let j = m; j >= 0; j--) {
    const end = (s[0]! - j + m + 1) * s[1]!;
    if (s[3 + j]! > 0 && end > at) return end;
  }
  return Infinity;
}
