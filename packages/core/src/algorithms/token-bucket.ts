import type { Algorithm, Params, Settings, Slots, View } from "../algorithm.ts";
import { luaTwin } from "../lua-twin.ts";

/**
 * Holds `burst` tokens, refilled evenly at `limit` per window, in exact integers: a level counts units of 1/N ms, where
 * P/N is window/limit reduced, so that a token weighs P and N drain per millisecond. This is GCRA without the bias of a
 * fractional time. In every closed interval of length D at most `burst + limit · D / window` units pass.
 *
 * Slots: level, its time, and the P and N that it was written under.
 * Params: limit, burst, P, N, capacity (burst · P), time to drain it, countRefused.
 */
export const tokenBucket: Algorithm = {
  name: "token-bucket",
  isLeasable: true,
  kind: () => "token-bucket",

  problem({ limit, window, burst }) {
    const [weight] = reduced(window, limit);
    const largest = largestBurst(weight);
    if (burst <= largest) return undefined;
    // If the burst follows the limit, what another limit weighs depends on the factors it shares with the window.
    const expected =
      burst === limit
        ? `at most ${largestBurst(window)}, or more where limit and window share large factors`
        : `at most ${largest} for this limit and window`;
    return { option: "burst", expected };
  },

  params({ limit, window, burst, countRefused }: Settings): Params {
    const [weight, drain] = reduced(window, limit);
    const capacity = limit === 0 ? 0 : burst * weight;
    return [
      limit,
      limit === 0 ? 0 : burst,
      weight,
      drain,
      capacity,
      Math.ceil(capacity / drain),
      countRefused ? 1 : 0,
    ];
  },
  slots: () => 4,
  layout: () => ["long", "time", "shape", "shape"],
  usual: ([, , weight, drain, capacity], now) => [capacity!, now, weight!, drain!],

  take(s, now, cost, p) {
    const capacity = p[4]!;
    if (cost === 0) return true;
    if (cost > p[1]!) return false;
    const level = levelAt(s, now, p);
    const next = level + cost * p[2]!;
    const fits = next <= capacity;
    if (fits) write(s, next, now, p);
    else if (p[6] === 1) write(s, capacity, now, p);
    else if (now < s[1]!) write(s, level, now, p);
    return fits;
  },

  mark(s, now, p) {
    if (now < s[1]!) write(s, levelAt(s, now, p), now, p);
  },

  give(s, now, cost, at, left) {
    const [level, since, weight, drain] = s as [number, number, number, number];
    // Rewritten under another rate since, so the charge's present weight is unknown.
    if (left[2] !== weight || left[3] !== drain) return;
    const held = level - drain * Math.max(0, now - since);
    const behind = left[0]! - drain * Math.max(0, now - at);
    const refund = Math.min(held, cost * weight, behind);
    if (refund <= 0) return;
    // Keeps its time, and drains on from there at the rate in force when it is read.
    s[0] = level - refund;
    s[1] = Math.min(since, now);
  },

  expires: (s) => (s[0] === 0 ? 0 : s[1]! + Math.ceil(s[0]! / s[3]!)),

  report: (s) => [s[0]!, s[1]!, s[2]!, s[3]!],

  view(s, now, cost, p): View {
    const [limit, burst, weight, drain, capacity] = p as [number, number, number, number, number];
    const level = levelAt(s as number[], now, p);
    const excess = level + cost * weight - capacity;
    // A level written under a faster rate is forgotten when that rate would have emptied it.
    const longest = now < s[1]! ? Infinity : tokenBucket.expires(s as number[], p) - now;
    const wait = (units: number): number => Math.min(Math.ceil(units / drain), longest);
    return {
      remaining: Math.min(limit, Math.floor((capacity - level) / weight)),
      retryAfter: cost === 0 ? 0 : cost > burst ? Infinity : excess > 0 ? wait(excess) : 0,
      resetAfter: level === 0 ? 0 : wait(level),
      delay: 0,
    };
  },

  lua: luaTwin({
    helpers: `
      local function level_at(s, now, p)
        local level, was, weight, drain = s[1], s[3], p[3], p[4]
        if level == 0 or now >= s[2] + math.ceil(level / s[4]) then return 0 end
        if was ~= weight then
          local rest = level % was
          level = (level - rest) / was * weight + math.ceil(rest * weight / was)
        end
        level = math.min(level, p[5])
        return math.max(0, level - drain * math.min(math.max(0, now - s[2]), p[6]))
      end
      local function write(s, level, now, p)
        s[1], s[2], s[3], s[4] = level, now, p[3], p[4]
      end
    `,
    take: `function(s, now, cost, p)
      local capacity = p[5]
      if cost == 0 then return true end
      if cost > p[2] then return false end
      local level = level_at(s, now, p)
      local after = level + cost * p[3]
      local fits = after <= capacity
      if fits then write(s, after, now, p)
      elseif p[7] == 1 then write(s, capacity, now, p)
      elseif now < s[2] then write(s, level, now, p) end
      return fits
    end`,
    mark: `function(s, now, p)
      if now < s[2] then write(s, level_at(s, now, p), now, p) end
    end`,
    give: `function(s, now, cost, at, left)
      local level, since, weight, drain = s[1], s[2], s[3], s[4]
      if left[3] ~= weight or left[4] ~= drain then return end
      local held = level - drain * math.max(0, now - since)
      local behind = left[1] - drain * math.max(0, now - at)
      local refund = math.min(held, cost * weight, behind)
      if refund > 0 then
        s[1], s[2] = level - refund, math.min(since, now)
      end
    end`,
    expires: `function(s)
      if s[1] == 0 then return 0 end
      return s[2] + math.ceil(s[1] / s[4])
    end`,
  }),
};

/** Returns the level at `now`: converted to the current units, then drained at the current rate. */
export function levelAt(s: Slots, now: number, p: Params): number {
  let level = s[0]!;
  const was = s[2]!;
  const weight = p[2]!;
  if (level === 0 || now >= s[1]! + Math.ceil(level / s[3]!)) return 0;
  if (was !== weight) {
    const rest = level % was;
    level = ((level - rest) / was) * weight + Math.ceil((rest * weight) / was);
  }
  level = Math.min(level, p[4]!);
  return Math.max(0, level - p[3]! * Math.min(Math.max(0, now - s[1]!), p[5]!));
}

/** Returns the largest burst whose double weighs less than 2^53. */
function largestBurst(weight: number): number {
  return Math.floor(2 ** 52 / weight) - 1;
}

function write(s: Slots, level: number, now: number, p: Params): void {
  s[0] = level;
  s[1] = now;
  s[2] = p[2]!;
  s[3] = p[3]!;
}

/** Returns window / limit in lowest terms; an arbitrary ratio for a limit of 0, which admits nothing. */
function reduced(window: number, limit: number): [weight: number, drain: number] {
  if (limit === 0) return [1, 1];
  let a = window;
  let b = limit;
  while (b !== 0) [a, b] = [b, a % b];
  return [window / a, limit / a];
}
