import type { Algorithm, Params, Settings, SlotKind, Slots, View } from "../algorithm.ts";
import { luaTwin } from "../lua-twin.ts";

/** Slots of a ban: start of the counting period, its length, refusals in it; start of the latest ban, its length. */
export const banSlots = 5;

/** Index of a ban's first param: after those of any algorithm, which keep their places. */
const first = 8;
/**
 * Indexes of the ban's params: its first slot; the refusals that start a ban (0: no bans, negative: counts none); the
 * period; whether requests during a ban extend it; the number of durations, which follow.
 */
const [place, after, within, extend, steps] = [first, first + 1, first + 2, first + 3, first + 4];

/**
 * Adds bans to an algorithm: blocks a key for a time after a number of refusals within a period, and longer the next
 * time if there are several durations. A ban refuses every cost, 0 too, without asking the inner algorithm; requests
 * during it change it only with `extend`. The next ban takes the next duration longer than the latest ban, or the
 * longest. The latest ban is forgotten once a key has been free for as long as it lasted, and at least for a period.
 *
 * The ban's slots come after the inner algorithm's. If those are a ring, whose report has `digest` numbers, they come
 * first, and the inner algorithm must leave them alone.
 */
export function banned(inner: Algorithm, digest?: number): Algorithm {
  const behind = digest === undefined;

  function mark(s: Slots, now: number, p: Params): void {
    const b = p[place]!;
    if (now < s[b + 3]!) s[b + 3] = now;
    inner.mark(s, now, p);
  }

  const ring = {
    valid: "inner.valid",
    report: `function(s, now, cost, p)
        local copy, b = inner.report(s, now, cost, p), p[place]
        for i = 1, ${banSlots} do copy[${digest} + i] = s[b + i] end
        return copy
      end`,
  };

  return {
    name: `${inner.name}+ban`,
    kind: (settings) => `ban+${inner.kind(settings)}`,
    problem: (settings) => inner.problem(settings),

    params(settings: Settings): Params {
      const { after, within, extend, durations } = settings.ban!;
      const params = [...inner.params(settings)];
      const from = behind ? inner.slots(params) : 0;
      while (params.length < first) params.push(0);
      return [...params, from, after, within, extend ? 1 : 0, durations.length, ...durations];
    },

    span: (p) => inner.span?.(p) ?? [0, Infinity],

    slots: (p) => (behind ? p[place]! + banSlots : inner.slots(p)),

    layout(p) {
      const longest = longestOf(p) < 2 ** 32 ? "count" : "long";
      const own: SlotKind[] = ["time", "shape", "count", "time", longest];
      return behind ? [...inner.layout(p), ...own] : [...own, ...inner.layout(p)];
    },

    /** Assumes a key without recent refusals: most are never refused. */
    usual: (p, now) => (behind ? [...inner.usual(p, now), 0, 0, 0, 0, 0] : []),

    take(s, now, cost, p) {
      const b = p[place]!;
      if (p[after] === 0) return inner.take(s, now, cost, p);
      if (now < s[b + 3]! + lengthOf(s, p)) {
        if (cost > 0) mark(s, now, p);
        if (cost > 0 && p[extend] === 1 && counts(p)) begin(s, now, lengthOf(s, p), p);
        return false;
      }
      const fits = inner.take(s, now, cost, p);
      if (!fits) {
        if (counts(p)) count(s, now, p);
      } else if (cost > 0 && s[b + 1]! > 0 && rememberedUntil(s, p) <= now) clear(s, p);
      return fits;
    },

    mark,

    give: (s, now, cost, at, left, p) => inner.give(s, now, cost, at, left, p),

    expires: (s, p) => Math.max(inner.expires(s, p), rememberedUntil(s, p)),

    retention(s, now, p) {
      const b = p[place]!;
      const rest = s[b + 3]! + lengthOf(s, p) - now;
      if (rest > 0) return 1 + Math.min(1, rest / longestOf(p));
      if (rememberedUntil(s, p) <= now) return 0;
      return s[b + 4]! > 0 ? 1 : Math.min(1, s[b + 2]! / Math.max(1, Math.abs(p[after]!)));
    },

    ...(inner.reportsOneCost && { reportsOneCost: true }),

    /** Copies every slot; of a ring the digest, then the ban's slots. */
    report(s, now, cost, p) {
      const b = p[place]!;
      const copy = behind ? [s[0]!] : inner.report(s, now, cost, p);
      for (let i = behind ? 1 : 0; i < b + banSlots; i++) copy.push(s[i]!);
      return copy;
    },

    view(report, now, cost, p): View {
      const own = inner.view(report, now, cost, p);
      const b = report.length - banSlots;
      const length = Math.min(report[b + 4]!, longestOf(p));
      const rest = Math.min(length, report[b + 3]! + length - now);
      if (rest <= 0 || p[after] === 0) return own;
      return {
        remaining: 0,
        retryAfter: Math.max(rest, own.retryAfter),
        resetAfter: Math.max(rest, own.resetAfter),
        delay: 0,
        blocked: true,
      };
    },

    lua: luaTwin({
      helpers: `
        local inner = ${inner.lua.table}
        local place, after, within, extend, steps = ${[place, after, within, extend, steps].map((i) => i + 1)}
        local function length_of(s, p)
          return math.min(s[p[place] + 5], p[steps + p[steps]])
        end
        local function mark(s, now, p)
          local b = p[place]
          if now < s[b + 4] then s[b + 4] = now end
          inner.mark(s, now, p)
        end
        local function remembered_until(s, p)
          local b, counted, level = p[place], 0, 0
          local length = s[b + 5]
          if s[b + 3] > 0 then counted = s[b + 1] + s[b + 2] end
          if length > 0 then level = s[b + 4] + length + math.max(length, s[b + 2]) end
          return math.max(counted, level)
        end
        local function clear(s, p)
          for i = 1, ${banSlots} do s[p[place] + i] = 0 end
        end
        local function begin(s, now, last, p)
          local b, i = p[place], 1
          while i < p[steps] and p[steps + i] <= last do i = i + 1 end
          s[b + 1], s[b + 2], s[b + 3], s[b + 4], s[b + 5] = 0, p[within], 0, now, p[steps + i]
        end
        local function count(s, now, p)
          local b, last = p[place], length_of(s, p)
          local period = math.min(s[b + 2], p[within])
          local start, refusals = math.min(s[b + 1], now), s[b + 3]
          if now >= s[b + 4] + last + math.max(last, period) then last = 0 end
          if now >= start + period then refusals = 0 end
          if refusals + 1 >= p[after] then begin(s, now, last, p) return end
          if refusals == 0 then start = now end
          s[b + 1], s[b + 2], s[b + 3] = start, p[within], refusals + 1
          if last == 0 then s[b + 4], s[b + 5] = 0, 0 end
        end
      `,
      keepsRefusals: "true",
      take: `function(s, now, cost, p)
        local b = p[place]
        if p[after] == 0 then return inner.take(s, now, cost, p) end
        if now < s[b + 4] + length_of(s, p) then
          if cost > 0 then mark(s, now, p) end
          if cost > 0 and p[extend] == 1 and p[after] > 0 then begin(s, now, length_of(s, p), p) end
          return false
        end
        local fits = inner.take(s, now, cost, p)
        if not fits then
          if p[after] > 0 then count(s, now, p) end
        elseif cost > 0 and s[b + 2] > 0 and remembered_until(s, p) <= now then clear(s, p) end
        return fits
      end`,
      mark: "mark",
      give: "inner.give",
      expires: `function(s, p)
        return math.max(inner.expires(s, p), remembered_until(s, p))
      end`,
      ...(behind ? {} : ring),
    }),
  };
}

/** Whether refusals count; those of tentative attempts do not. */
function counts(p: Params): boolean {
  return p[after]! > 0;
}

/** Returns the longest ban duration in the params. */
function longestOf(p: Params): number {
  return p[steps + p[steps]!]!;
}

/** Returns the length of the latest ban, 0 for none; capped at the longest duration of the current params. */
function lengthOf(s: Slots, p: Params): number {
  return Math.min(s[p[place]! + 4]!, longestOf(p));
}

/** Returns when the refusals and the latest ban are forgotten. */
function rememberedUntil(s: Slots, p: Params): number {
  const b = p[place]!;
  const length = s[b + 4]!;
  const counted = s[b + 2] === 0 ? 0 : s[b]! + s[b + 1]!;
  const level = length === 0 ? 0 : s[b + 3]! + length + Math.max(length, s[b + 1]!);
  return Math.max(counted, level);
}

/** Clears the ban's slots, so that a state takes no more bytes than one that was never refused. */
function clear(s: Slots, p: Params): void {
  const b = p[place]!;
  for (let i = 0; i < banSlots; i++) s[b + i] = 0;
}

/** Starts the ban that follows one of length `last`. */
function begin(s: Slots, now: number, last: number, p: Params): void {
  const b = p[place]!;
  let i = 1;
  while (i < p[steps]! && p[steps + i]! <= last) i++;
  s[b] = 0;
  s[b + 1] = p[within]!;
  s[b + 2] = 0;
  s[b + 3] = now;
  s[b + 4] = p[steps + i]!;
}

/** Counts a refusal; starts a ban when there are enough. */
function count(s: Slots, now: number, p: Params): void {
  const b = p[place]!;
  const period = Math.min(s[b + 1]!, p[within]!);
  let last = lengthOf(s, p);
  let start = Math.min(s[b]!, now);
  let refusals = s[b + 2]!;
  if (now >= s[b + 3]! + last + Math.max(last, period)) last = 0;
  if (now >= start + period) refusals = 0;
  if (refusals + 1 >= p[after]!) {
    begin(s, now, last, p);
    return;
  }
  if (refusals === 0) start = now;
  s[b] = start;
  s[b + 1] = p[within]!;
  s[b + 2] = refusals + 1;
  if (last === 0) {
    s[b + 3] = 0;
    s[b + 4] = 0;
  }
}
