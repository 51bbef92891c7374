import type { Algorithm, Params, Settings, Slots, View } from "../algorithm.ts";
import { luaTwin } from "../lua-twin.ts";

/**
 * Admits up to `limit` units per window: aligned to the clock, started by a key's first charge, or a calendar day or
 * month. Up to 2 × limit can pass across a window edge.
 *
 * Slots: start of the window, its length, used units, time of the latest charge counted from the start.
 * Params: limit, window, mode (0 clock, 1 first request, 2 calendar), countRefused, then four calendar edges.
 */
export const fixedWindow: Algorithm = {
  name: "fixed-window",
  isLeasable: true,
  kind: () => "fixed-window",
  problem: () => undefined,
  params: ({ limit, window, align, edges, countRefused }: Settings): Params => [
    limit,
    window,
    edges ? 2 : align === "first-request" ? 1 : 0,
    countRefused ? 1 : 0,
    ...(edges ?? []),
  ],
  span: (p) => (p[2] === 2 ? [p[4]!, p[7]!] : [0, Infinity]),
  slots: () => 4,
  layout: ([, window]) => ["time", "shape", "count", window! < 2 ** 32 ? "count" : "long"],
  usual([limit, window, , , ...edges], now) {
    const length = edges.reduce(
      (most, edge, i) => Math.max(most, edge - edges[Math.max(0, i - 1)]!),
      window!,
    );
    return [now, length, limit!, length];
  },

  take(s, now, cost, p) {
    const limit = p[0]!;
    if (cost === 0) return true;
    if (cost > limit) return false;
    const [start, length, used, moved] = current(s, now, p);
    const fits = cost <= limit - used;
    if (fits) write(s, start, length, used + cost, now - start);
    else if (p[3] === 1) write(s, start, length, Math.max(used, limit), now - start);
    else if (moved) write(s, start, length, used, now - start);
    return fits;
  },

  mark(s, now, p) {
    const [start, length, used, moved] = current(s, now, p);
    if (moved) write(s, start, length, used, now - start);
  },

  give(s, now, cost, at, _left, p) {
    const [start, length, used] = current(s, now, p);
    const stop = Math.min(start + length, s[0]! + s[1]!);
    if (used === 0 || at < Math.max(start, s[0]!) || at >= stop) return;
    s[2] = Math.max(0, s[2]! - cost);
  },

  expires: (s) => (s[2] === 0 ? 0 : s[0]! + s[1]!),

  report: (s) => [s[0]!, s[1]!, s[2]!, s[3]!],

  view(s, now, cost, p): View {
    const limit = p[0]!;
    const [start, length, used, moved] = current(s as number[], now, p);
    // Units used under a shorter window expire when that one ends.
    const end = moved ? start + length : Math.min(start + length, s[0]! + s[1]!);
    const left = end - now;
    return {
      remaining: Math.max(0, limit - used),
      retryAfter: cost > limit ? Infinity : cost <= limit - used || cost === 0 ? 0 : left,
      resetAfter: used === 0 ? 0 : left,
      delay: 0,
    };
  },

  lua: luaTwin({
    helpers: `
      local function current(s, now, p)
        local window, mode = p[2], p[3]
        local last = s[1] + s[4]
        local moved = s[3] > 0 and now < last
        local live = s[3] > 0 and now < s[1] + s[2]
        if mode == 1 then
          local from, latest = math.min(now, s[1]), math.min(now, last)
          local stop = from + window
          if window < s[2] then stop = math.min(from + s[2], latest + window) end
          if live and now < stop then return stop - window, window, s[3], moved end
          return now, window, 0, false
        end
        local start, length = now - now % window, window
        if mode == 2 then
          local i = 5
          while i < 7 and now >= p[i + 1] do i = i + 1 end
          start, length = p[i], p[i + 1] - p[i]
        end
        if moved or live and last >= start then return start, length, s[3], moved end
        return start, length, 0, false
      end
      local function write(s, start, length, used, age)
        s[1], s[2], s[3], s[4] = start, length, used, age
      end
    `,
    take: `function(s, now, cost, p)
      local limit = p[1]
      if cost == 0 then return true end
      if cost > limit then return false end
      local start, length, used, moved = current(s, now, p)
      local fits = cost <= limit - used
      if fits then write(s, start, length, used + cost, now - start)
      elseif p[4] == 1 then write(s, start, length, math.max(used, limit), now - start)
      elseif moved then write(s, start, length, used, now - start) end
      return fits
    end`,
    mark: `function(s, now, p)
      local start, length, used, moved = current(s, now, p)
      if moved then write(s, start, length, used, now - start) end
    end`,
    give: `function(s, now, cost, at, left, p)
      local start, length, used = current(s, now, p)
      local stop = math.min(start + length, s[1] + s[2])
      if used == 0 or at < math.max(start, s[1]) or at >= stop then return end
      s[3] = math.max(0, s[3] - cost)
    end`,
    expires: `function(s)
      if s[3] == 0 then return 0 end
      return s[1] + s[2]
    end`,
  }),
};

/**
 * Returns the window that contains `now`: start, length, used units, and whether the clock stepped back behind the
 * latest charge.
 */
function current(s: Slots, now: number, p: Params): [number, number, number, boolean] {
  const window = p[1]!;
  const mode = p[2]!;
  const last = s[0]! + s[3]!;
  const moved = s[2]! > 0 && now < last;
  const live = s[2]! > 0 && now < s[0]! + s[1]!;
  if (mode === 1) {
    const from = Math.min(now, s[0]!);
    const latest = Math.min(now, last);
    const stop = window < s[1]! ? Math.min(from + s[1]!, latest + window) : from + window;
    return live && now < stop ? [stop - window, window, s[2]!, moved] : [now, window, 0, false];
  }
  let start = now - (now % window);
  let length = window;
  if (mode === 2) {
    let i = 4;
    while (i < 6 && now >= p[i + 1]!) i++;
    start = p[i]!;
    length = p[i + 1]! - start;
  }
  if (moved || (live && last >= start)) return [start, length, s[2]!, moved];
  return [start, length, 0, false];
}

function write(s: Slots, start: number, length: number, used: number, age: number): void {
  s[0] = start;
  s[1] = length;
  s[2] = used;
  s[3] = age;
}
