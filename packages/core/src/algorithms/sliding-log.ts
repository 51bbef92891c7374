import type { Algorithm, Params, Settings, Slots, View } from "../algorithm.ts";
import { luaTwin } from "../lua-twin.ts";

/**
 * The longest log: 100 000 times take 800 kB per key in memory and 700 kB in Redis, read by index and never as a whole.
 */
const maxLogged = 100_000;

/**
 * Admits at most `limit` units in every half-open window `(t − window, t]`, exactly, using a ring of the last `limit`
 * admission times, oldest first.
 *
 * Slots: capacity, window, index of the oldest entry, number of entries, then the ring of times.
 * Params: limit, window, countRefused.
 */
export const slidingLog: Algorithm = slidingLogFrom(0);

/**
 * Creates a sliding log that leaves the first slots to others, because nothing can come after a ring; does not copy
 * them.
 */
export function slidingLogFrom(first: number): Algorithm {
  const [capacity, span, oldest, count, ring] = [first, first + 1, first + 2, first + 3, first + 4];

  function place(s: Slots, i: number): number {
    return ring + ((s[oldest]! + i) % s[capacity]!);
  }

  function entry(s: Slots, i: number): number {
    return s[place(s, i)]!;
  }

  /** Returns the number of entries; 0 once all have left the window that they were made under. */
  function size(s: Slots, now: number): number {
    const n = s[count]!;
    return n === 0 || now >= entry(s, n - 1) + s[span]! ? 0 : n;
  }

  /** Moves entries that are ahead of a clock that stepped back to the new time. */
  function reanchor(s: Slots, now: number): void {
    for (let i = s[count]! - 1; i >= 0 && entry(s, i) > now; i--) s[place(s, i)] = now;
  }

  /** Returns the index of the first entry later than `time`. */
  function firstAfter(s: Slots, n: number, time: number): number {
    let low = 0;
    let high = n;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (entry(s, middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds entries at `now`. A ring that shrinks keeps the entries still in use, even above the limit. */
  function push(s: Slots, now: number, cost: number, size: number, p: Params): void {
    let limit = p[0]!;
    let n = size;
    if (s[capacity] !== limit) {
      limit = Math.max(limit, n - firstAfter(s, n, now - p[1]!));
      const kept: number[] = [];
      const from = Math.max(0, n - limit);
      for (let i = from; i < n; i++) kept.push(entry(s, i));
      n -= from;
      for (let i = 0; i < n; i++) s[ring + i] = kept[i]!;
      s[capacity] = limit;
      s[oldest] = 0;
    }
    for (let i = 0; i < cost; i++) {
      s[place(s, n)] = now;
      if (n < limit) n++;
      else s[oldest] = (s[oldest]! + 1) % limit;
    }
    s[span] = p[1]!;
    s[count] = n;
  }

  return {
    name: "sliding-log",
    kind: () => "sliding-log",
    problem: ({ limit }: Settings) =>
      limit > maxLogged
        ? { option: "limit", expected: `at most ${maxLogged} for a sliding log` }
        : undefined,
    params: ({ limit, window, countRefused }): Params => [limit, window, countRefused ? 1 : 0],
    slots: (p) => ring + p[0]!,
    layout: () => ["shape", "shape", "count", "count", "ring"],
    usual: () => [],

    take(s, now, cost, p) {
      const limit = p[0]!;
      if (cost === 0) return true;
      if (cost > limit) return false;
      reanchor(s, now);
      const n = size(s, now);
      const spare = limit - cost;
      const fits = n <= spare || entry(s, n - 1 - spare) <= now - p[1]!;
      if (fits || p[2] === 1) push(s, now, cost, n, p);
      return fits;
    },

    mark: reanchor,

    give(s, now, cost, at, _left, p) {
      const n = size(s, now);
      if (at <= now - p[1]!) return;
      const from = firstAfter(s, n, at - 1);
      const taken = Math.min(cost, firstAfter(s, n, at) - from);
      if (taken <= 0) return;
      for (let i = from; i + taken < n; i++) s[place(s, i)] = entry(s, i + taken);
      s[count] = n - taken;
    },

    expires: (s) => (s[count] === 0 ? 0 : entry(s, s[count]! - 1) + s[span]!),

    reportsOneCost: true,

    /**
     * Returns the units within the window, the entry that must leave before `cost` fits, the newest, and when all are
     * forgotten.
     */
    report(s, now, cost, p) {
      const limit = p[0]!;
      const n = size(s, now);
      if (n === 0) return [0, 0, 0, 0];
      const blocking = n - 1 - (limit - cost);
      const blocker = blocking >= 0 && cost <= limit ? Math.min(now, entry(s, blocking)) : 0;
      const newest = Math.min(now, entry(s, n - 1));
      return [n - firstAfter(s, n, now - p[1]!), blocker, newest, newest + s[span]!];
    },

    view(report, now, cost, p): View {
      const [counted, blocking, newest, forgotten] = report as [number, number, number, number];
      const [limit, window] = p as [number, number];
      const until = (leaving: number): number =>
        Math.max(0, Math.min(leaving + window, forgotten) - now);
      // A report may be older than `now`: all of it may have left since.
      const live = until(newest) === 0 ? 0 : counted;
      const fits = cost === 0 || live + cost <= limit;
      return {
        remaining: Math.max(0, limit - live),
        retryAfter: cost > limit ? Infinity : fits ? 0 : until(blocking),
        resetAfter: live === 0 ? 0 : until(newest),
        delay: 0,
      };
    },

    lua: luaTwin({
      helpers: `
        local capacity, span, oldest, count, ring = ${first + 1}, ${first + 2}, ${first + 3}, ${first + 4}, ${ring}
        local function place(s, i)
          return ring + 1 + (s[oldest] + i) % s[capacity]
        end
        local function entry(s, i)
          return s[place(s, i)]
        end
        local function size(s, now)
          local n = s[count]
          if n == 0 or now >= entry(s, n - 1) + s[span] then return 0 end
          return n
        end
        local function reanchor(s, now)
          local i = s[count] - 1
          while i >= 0 and entry(s, i) > now do
            s[place(s, i)] = now
            i = i - 1
          end
        end
        local function first_after(s, n, time)
          local low, high = 0, n
          while low < high do
            local middle = math.floor((low + high) / 2)
            if entry(s, middle) <= time then low = middle + 1 else high = middle end
          end
          return low
        end
        local function push(s, now, cost, n, p)
          local limit = p[1]
          if s[capacity] ~= limit then
            limit = math.max(limit, n - first_after(s, n, now - p[2]))
            local kept = {}
            local from = math.max(0, n - limit)
            for i = from, n - 1 do kept[i - from] = entry(s, i) end
            n = n - from
            for i = 0, n - 1 do s[ring + 1 + i] = kept[i] end
            s[capacity], s[oldest] = limit, 0
          end
          for _ = 1, cost do
            s[place(s, n)] = now
            if n < limit then n = n + 1 else s[oldest] = (s[oldest] + 1) % limit end
          end
          s[span], s[count] = p[2], n
        end
      `,
      take: `function(s, now, cost, p)
        local limit = p[1]
        if cost == 0 then return true end
        if cost > limit then return false end
        reanchor(s, now)
        local n = size(s, now)
        local spare = limit - cost
        local fits = n <= spare or entry(s, n - 1 - spare) <= now - p[2]
        if fits or p[3] == 1 then push(s, now, cost, n, p) end
        return fits
      end`,
      mark: "reanchor",
      give: `function(s, now, cost, at, left, p)
        local n = size(s, now)
        if at <= now - p[2] then return end
        local from = first_after(s, n, at - 1)
        local taken = math.min(cost, first_after(s, n, at) - from)
        if taken <= 0 then return end
        for i = from, n - taken - 1 do s[place(s, i)] = entry(s, i + taken) end
        s[count] = n - taken
      end`,
      expires: `function(s)
        if s[count] == 0 then return 0 end
        return entry(s, s[count] - 1) + s[span]
      end`,
      report: `function(s, now, cost, p)
        local limit = p[1]
        local n = size(s, now)
        if n == 0 then return { 0, 0, 0, 0 } end
        local blocking = n - 1 - (limit - cost)
        local blocker = 0
        if blocking >= 0 and cost <= limit then blocker = math.min(now, entry(s, blocking)) end
        local newest = math.min(now, entry(s, n - 1))
        return { n - first_after(s, n, now - p[2]), blocker, newest, newest + s[span] }
      end`,
      valid: `function(s)
        return s[capacity] <= ${maxLogged} and s[count] <= s[capacity] and s[oldest] <= s[capacity]
      end`,
    }),
  };
}
