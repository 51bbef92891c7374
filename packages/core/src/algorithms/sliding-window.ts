import type { Algorithm, Params, Settings, Slots, View } from "../algorithm.ts";
import { luaTwin } from "../lua-twin.ts";
import { endOf, markCounted, takeCounted, viewCounted } from "./sub-windows.ts";

/**
 * Weighs counts of sub-windows: the last m fully, the one before them by the share still within the window. With one
 * segment this is `previous · (1 − elapsed / window) + current`. Nothing is rounded: both sides of the comparison are
 * multiplied by the width. Only admitted cost is counted. Less than twice the limit passes in any window; with
 * segments, the limit plus what the fullest segment holds.
 *
 * Slots: index of the newest sub-window since the epoch, its width in milliseconds, milliseconds from its start to the
 * latest charge, then m + 1 counts, newest first. Params: limit, width, segments, countRefused.
 *
 * This file handles two counts of the current width, as in nearly all states; `sub-windows.ts` handles the rest.
 */
export const slidingWindow: Algorithm = {
  name: "sliding-window",
  isLeasable: true,
  kind: ({ segments }: Settings) => `sliding-window/${segments}`,

  problem({ limit, window, segments }) {
    if (window % segments !== 0) {
      return { option: "segments", expected: `a divisor of the window's ${window} ms` };
    }
    const largest = Math.floor(Number.MAX_SAFE_INTEGER / ((segments + 1) * (window / segments)));
    return limit > largest
      ? {
          option: "limit",
          expected: `at most ${largest} for this window${segments > 1 ? " and these segments" : ""} (more by fixed-window)`,
        }
      : undefined;
  },

  params: ({ limit, window, segments, countRefused }): Params => [
    limit,
    window / segments,
    segments,
    countRefused ? 1 : 0,
  ],
  slots: (p) => 4 + p[2]!,
  layout: (p) => [
    "time",
    "shape",
    p[1]! < 2 ** 32 ? "count" : "long",
    ...new Array<"count">(p[2]! + 1).fill("count"),
  ],
  usual: ([limit, w, m], now) => [
    Math.floor(now / w!),
    w!,
    w! - 1,
    ...new Array<number>(m! + 1).fill(limit!),
  ],

  take(s, now, cost, p) {
    const limit = p[0]!;
    const w = p[1]!;
    if (cost === 0) return true;
    if (cost > limit) return false;
    const k = Math.floor(now / w);
    const passed = isPair(s, p) ? k - s[0]! : -1;
    if (passed < 0 || p[3] === 1) return takeCounted(s, now, cost, p);
    const elapsed = now - k * w;
    const current = passed === 0 ? s[3]! : 0;
    const previous = passed === 0 ? s[4]! : passed === 1 ? s[3]! : 0;
    if ((current + cost - limit) * w + previous * (w - elapsed) > 0) return false;
    s[0] = k;
    s[1] = w;
    s[2] = elapsed;
    s[3] = current + cost;
    s[4] = previous;
    return true;
  },

  mark: markCounted,

  give(s, now, cost, at, _left, p) {
    const w = s[1]!;
    const m = p[2]!;
    if (w !== p[1] || now < s[0]! * w) return;
    const j = s[0]! - Math.floor(at / w);
    if (j >= 0 && j <= m) s[3 + j] = Math.max(0, s[3 + j]! - cost);
  },

  expires: endOf,

  report(s) {
    const copy = [s[0]!, s[1]!, s[2]!, s[3]!, s[4]!];
    for (let i = 5; i < s.length; i++) copy.push(s[i]!);
    return copy;
  },

  view(report, now, cost, p): View {
    const s = report as number[];
    const w = p[1]!;
    const k = Math.floor(now / w);
    const passed = isPair(s, p) ? k - s[0]! : -1;
    if (passed < 0) return viewCounted(s, now, cost, p);
    const elapsed = now - k * w;
    const current = passed === 0 ? s[3]! : 0;
    const previous = passed === 0 ? s[4]! : passed === 1 ? s[3]! : 0;
    const left = p[0]! - current;
    const fading = previous * (w - elapsed);
    if (cost > 0 && (cost - left) * w + fading > 0) return viewCounted(s, now, cost, p);
    return {
      remaining: Math.max(0, left - Math.ceil(fading / w)),
      retryAfter: 0,
      resetAfter: current > 0 ? 2 * w - elapsed : previous > 0 ? w - elapsed : 0,
      delay: 0,
    };
  },

  lua: luaTwin({
    helpers: `
      local function stepped_back(s, now, w)
        local start = s[1] * s[2]
        return now < start + s[3] and (s[2] ~= w or now < start)
      end
      local function counts(s, now, p)
        local w, m, was = p[2], p[3], s[2]
        local n = {}
        for j = 0, m do n[j] = 0 end
        if was == 0 then return n end
        local k = (now - now % w) / w
        if stepped_back(s, now, w) then
          for j = 0, m - 1 do n[0] = n[0] + s[4 + j] end
          n[0] = n[0] + math.ceil(s[4 + m] * (was - s[3]) / was)
          return n
        end
        for j = 0, m do
          local stop = (s[1] - j + 1) * was
          local seen = j == 0 and s[1] * was + s[3] or stop - 1
          local i = was == w and k - s[1] + j or k - (seen - seen % w) / w
          if i >= 0 and i <= m and now < stop + m * was then n[i] = n[i] + s[4 + j] end
        end
        return n
      end
      local function write(s, n, now, p)
        local w, m = p[2], p[3]
        local elapsed = now % w
        s[1], s[2], s[3] = (now - elapsed) / w, w, elapsed
        for j = 0, m do s[4 + j] = n[j] end
      end
    `,
    take: `function(s, now, cost, p)
      local limit, w, m = p[1], p[2], p[3]
      if cost == 0 then return true end
      if cost > limit then return false end
      local elapsed, was = now % w, s[2]
      local k = (now - elapsed) / w
      local passed = k - s[1]
      if m == 1 and (was == w or was == 0) and passed >= 0 and p[4] == 0 then
        local current, previous = 0, 0
        if passed == 0 then current, previous = s[4], s[5]
        elseif passed == 1 then previous = s[4] end
        if (current + cost - limit) * w + previous * (w - elapsed) > 0 then return false end
        s[1], s[2], s[3], s[4], s[5] = k, w, elapsed, current + cost, previous
        return true
      end
      local n = counts(s, now, p)
      local sum = cost - limit
      for j = 0, m - 1 do sum = sum + n[j] end
      local fits = sum * w + n[m] * (w - elapsed) <= 0
      local moved = stepped_back(s, now, w)
      if fits then n[0] = n[0] + cost
      elseif p[4] == 1 then n[0] = math.max(n[0], math.min(n[0] + cost, limit))
      elseif not moved then return false end
      write(s, n, now, p)
      return fits
    end`,
    mark: `function(s, now, p)
      if stepped_back(s, now, p[2]) then write(s, counts(s, now, p), now, p) end
    end`,
    give: `function(s, now, cost, at, left, p)
      local w, m = s[2], p[3]
      if w ~= p[2] or now < s[1] * w then return end
      local j = s[1] - (at - at % w) / w
      if j >= 0 and j <= m then s[4 + j] = math.max(0, s[4 + j] - cost) end
    end`,
    expires: `function(s, p)
      local m = p[3]
      for j = 0, m do
        if s[4 + j] > 0 then return (s[1] - j + m + 1) * s[2] end
      end
      return 0
    end`,
  }),
};

/** Whether a state is blank or has two counts of the current width, as nearly all have: those need no arrays. */
function isPair(s: Slots, p: Params): boolean {
  return p[2] === 1 && (s[1] === p[1] || s[1] === 0);
}
