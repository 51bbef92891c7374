import { day } from "../duration.ts";

/** A calendar window: it starts and ends with a date of a time zone, however long that is. */
export type CalendarUnit = "day" | "month";

/** A window and its neighbours, in epoch milliseconds. */
interface Span {
  readonly window: readonly [start: number, end: number];
  readonly edges: readonly [previous: number, start: number, end: number, next: number];
}

// More than there are zones, so that only odd spellings ("eUrOpe/berlin") are ever evicted.
const rememberedZones = 1000;

// Two spans per zone, so that clocks on both sides of an edge do not evict each other's.
const remembered: Record<CalendarUnit, Map<string, { latest: Span; other: Span }>> = {
  day: new Map(),
  month: new Map(),
};

/**
 * Returns the calendar window of an IANA zone that contains `now`: `start <= now < end`, epoch milliseconds, each end
 * the start of the next. A date starts at its first instant, even if it has no midnight, and does not end when clocks
 * are set back across midnight; a date that a zone skipped has no window. The start is below 0 early in 1970. Returns
 * the same frozen pair until the window changes. Throws a RangeError for an unknown zone, and for a `now` outside the
 * range of Date or in its last month.
 */
export function calendarEdges(
  unit: CalendarUnit,
  timeZone: string,
  now: number,
): readonly [start: number, end: number] {
  return spanAt(unit, timeZone, now).window;
}

/**
 * Returns four edges around `now`, the middle two from `calendarEdges`: three whole windows, for a decision by a
 * slightly different clock. Returns the same frozen array until the window changes.
 */
export function calendarEdgesAround(
  unit: CalendarUnit,
  timeZone: string,
  now: number,
): readonly [previous: number, start: number, end: number, next: number] {
  return spanAt(unit, timeZone, now).edges;
}

/** Whether a value names an IANA time zone. Offsets ("+01:00") do not: not every Node knows them. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== "string" || !/^[a-z]/i.test(value)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

function spanAt(unit: CalendarUnit, timeZone: string, now: number): Span {
  const zones = remembered[unit];
  const known = zones.get(timeZone);
  if (known) {
    if (holds(known.latest, now)) return known.latest;
    if (holds(known.other, now)) return known.other;
  }
  const span = findSpan(unit, timeZone, now);
  if (known) {
    known.other = known.latest;
    known.latest = span;
    return span;
  }
  if (zones.size >= rememberedZones) zones.delete(zones.keys().next().value as string);
  zones.set(timeZone, { latest: span, other: span });
  return span;
}

function holds({ window }: Span, now: number): boolean {
  return window[0] <= now && now < window[1];
}

function findSpan(unit: CalendarUnit, timeZone: string, now: number): Span {
  if (Number.isNaN(new Date(now).getTime())) {
    throw new RangeError(`expected an instant in epoch milliseconds, received ${now}`);
  }
  const offsetAt = offsetsOf(timeZone);
  const local = now + offsetAt(now);
  const edge = (step: number): number => firstInstant(firstDate(unit, local, step), offsetAt);
  // A clock set back at 00:01 shows the day before again, but the new day has started.
  const here = edge(1) <= now ? 1 : 0;
  const start = edge(here);
  const end = edge(here + 1);
  // Neighbours of no length are dates that the zone skipped when it crossed the date line.
  let before = here - 1;
  while (edge(before) === start) before--;
  let after = here + 2;
  while (edge(after) === end) after++;
  return {
    window: Object.freeze<[number, number]>([start, end]),
    edges: Object.freeze<[number, number, number, number]>([edge(before), start, end, edge(after)]),
  };
}

/** Returns the midnight, in local milliseconds, that starts the date or month `step` units after that of `local`. */
function firstDate(unit: CalendarUnit, local: number, step: number): number {
  const today = Math.floor(local / day) * day;
  if (unit === "day") return today + step * day;
  const date = new Date(today);
  // Not Date.UTC, which takes the year 99 for 1999.
  return date.setUTCMonth(date.getUTCMonth() + step, 1);
}

/**
 * Returns the first instant whose local time is `date` or later. Offsets are below 16 hours, so it is less than a day
 * from `date`; and no zone has changed its offset twice within two days.
 */
function firstInstant(date: number, offsetAt: (at: number) => number): number {
  const before = offsetAt(date - day);
  const after = offsetAt(date + day);
  if (before === after) return date - before;
  let low = date - day;
  let high = date + day;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return date - before < high ? date - before : Math.max(high, date - after);
}

/** Returns a function of an instant: the milliseconds by which local time is ahead of UTC. */
function offsetsOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    // Not `hour12: false`, which writes midnight as 24.
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  // Years before 1 would lose their sign; no zone had changed its offset before 1800.
  const firstChange = Date.UTC(1800, 0, 1);
  return (at) => {
    const second = Math.floor(Math.max(at, firstChange) / 1000) * 1000;
    const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of format.formatToParts(second)) {
      if (type in shown) shown[type as keyof typeof shown] = Number(value);
    }
    const { year, month, hour, minute } = shown;
    return Date.UTC(year, month - 1, shown.day, hour, minute, shown.second) - second;
  };
}
