import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type CalendarUnit, calendarEdges, calendarEdgesAround, isTimeZone } from "./calendar.ts";

const hour = 3_600_000;
const day = 24 * hour;
const ownZone = process.env.TZ;

type Row = [unit: CalendarUnit, zone: string, now: string, start: string, end: string];

const rows: Row[] = [
  ["day", "UTC", "2024-02-29T12:00Z", "2024-02-29T00:00Z", "2024-03-01T00:00Z"],
  ["month", "UTC", "2024-02-29T12:00Z", "2024-02-01T00:00Z", "2024-03-01T00:00Z"],
  ["month", "UTC", "2023-12-31T23:59:59.999Z", "2023-12-01T00:00Z", "2024-01-01T00:00Z"],
  ["day", "Asia/Tokyo", "2024-06-30T15:00Z", "2024-06-30T15:00Z", "2024-07-01T15:00Z"],
  ["month", "Asia/Tokyo", "2024-06-30T15:00Z", "2024-06-30T15:00Z", "2024-07-31T15:00Z"],
  ["month", "America/Los_Angeles", "2024-03-01T07:59Z", "2024-02-01T08:00Z", "2024-03-01T08:00Z"],
  // Clocks change in the small hours.
  ["day", "America/New_York", "2024-03-10T12:00Z", "2024-03-10T05:00Z", "2024-03-11T04:00Z"],
  ["day", "America/New_York", "2024-11-03T12:00Z", "2024-11-03T04:00Z", "2024-11-04T05:00Z"],
  ["month", "America/New_York", "2024-11-30T12:00Z", "2024-11-01T04:00Z", "2024-12-01T05:00Z"],
  ["day", "Europe/Berlin", "2025-03-30T00:59Z", "2025-03-29T23:00Z", "2025-03-30T22:00Z"],
  ["month", "Europe/Berlin", "2025-10-26T01:00Z", "2025-09-30T22:00Z", "2025-10-31T23:00Z"],
  ["day", "Europe/Dublin", "2024-10-27T12:00Z", "2024-10-26T23:00Z", "2024-10-28T00:00Z"],
  ["day", "Antarctica/Troll", "2024-03-31T12:00Z", "2024-03-31T00:00Z", "2024-03-31T22:00Z"],
  // Half hours, quarters and odd seconds.
  ["day", "Asia/Kolkata", "2024-01-01T18:29:59.999Z", "2023-12-31T18:30Z", "2024-01-01T18:30Z"],
  ["day", "Asia/Kathmandu", "2024-01-01T18:15Z", "2024-01-01T18:15Z", "2024-01-02T18:15Z"],
  ["day", "Pacific/Chatham", "2024-04-06T20:00Z", "2024-04-06T10:15Z", "2024-04-07T11:15Z"],
  ["day", "Australia/Lord_Howe", "2024-04-06T20:00Z", "2024-04-06T13:00Z", "2024-04-07T13:30Z"],
  ["day", "Australia/Lord_Howe", "2024-10-05T20:00Z", "2024-10-05T13:30Z", "2024-10-06T13:00Z"],
  [
    "day",
    "Africa/Monrovia",
    "1972-01-06T00:44:30Z",
    "1972-01-06T00:44:30Z",
    "1972-01-07T00:44:30Z",
  ],
  ["day", "Africa/Monrovia", "1972-01-07T12:00Z", "1972-01-07T00:44:30Z", "1972-01-08T00:00Z"],
  // A midnight that does not exist.
  ["day", "America/Sao_Paulo", "2018-11-04T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"],
  ["day", "America/Sao_Paulo", "2018-11-04T02:59Z", "2018-11-03T03:00Z", "2018-11-04T03:00Z"],
  ["day", "America/Havana", "2024-03-10T12:00Z", "2024-03-10T05:00Z", "2024-03-11T04:00Z"],
  ["day", "Asia/Beirut", "2022-03-27T12:00Z", "2022-03-26T22:00Z", "2022-03-27T21:00Z"],
  ["day", "Africa/Cairo", "2024-04-26T12:00Z", "2024-04-25T22:00Z", "2024-04-26T21:00Z"],
  // A midnight that comes twice.
  ["day", "America/Sao_Paulo", "2018-02-18T02:30Z", "2018-02-17T02:00Z", "2018-02-18T03:00Z"],
  ["day", "America/Havana", "2024-11-03T05:30Z", "2024-11-03T04:00Z", "2024-11-04T05:00Z"],
  ["day", "Asia/Beirut", "2022-10-29T21:30Z", "2022-10-28T21:00Z", "2022-10-29T22:00Z"],
  ["month", "Africa/Cairo", "2024-10-31T21:30Z", "2024-09-30T21:00Z", "2024-10-31T22:00Z"],
  // Set back at 00:01: October shows again, but November has begun.
  ["day", "America/St_Johns", "2009-11-01T02:30Z", "2009-11-01T02:30Z", "2009-11-02T03:30Z"],
  ["day", "America/St_Johns", "2009-11-01T03:00Z", "2009-11-01T02:30Z", "2009-11-02T03:30Z"],
  ["month", "America/St_Johns", "2009-11-01T02:29Z", "2009-10-01T02:30Z", "2009-11-01T02:30Z"],
  ["month", "America/St_Johns", "2009-11-01T03:00Z", "2009-11-01T02:30Z", "2009-12-01T03:30Z"],
  // 30 December 2011 was skipped.
  ["day", "Pacific/Apia", "2011-12-30T09:59Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z"],
  ["day", "Pacific/Apia", "2011-12-30T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
  ["month", "Pacific/Apia", "2011-12-30T10:00Z", "2011-12-01T10:00Z", "2011-12-31T10:00Z"],
  // The start of the epoch, which a test's clock may return, and far from it.
  ["day", "America/New_York", "1970-01-01T00:00Z", "1969-12-31T05:00Z", "1970-01-01T05:00Z"],
  ["month", "America/New_York", "1970-01-01T00:00Z", "1969-12-01T05:00Z", "1970-01-01T05:00Z"],
  ["day", "Europe/Berlin", "2100-07-01T12:00Z", "2100-06-30T22:00Z", "2100-07-01T22:00Z"],
  ["month", "UTC", "0099-12-31T12:00Z", "0099-12-01T00:00Z", "0100-01-01T00:00Z"],
  ["month", "UTC", "-000043-03-15T12:00Z", "-000043-03-01T00:00Z", "-000043-04-01T00:00Z"],
];

describe("calendarEdges", () => {
  it.each(rows)("tells the %s of %s at %s: %s to %s", (unit, zone, now, start, end) => {
    expect(texts(calendarEdges(unit, zone, Date.parse(now)))).toEqual(texts([start, end]));
  });

  it.each<[string, number, Record<number, number>]>([
    ["UTC", 2024, { 24: 366 }],
    ["Europe/Berlin", 2025, { 23: 1, 24: 363, 25: 1 }],
    ["America/New_York", 2024, { 23: 1, 24: 364, 25: 1 }],
    ["America/Sao_Paulo", 2018, { 23: 1, 24: 363, 25: 1 }],
    ["Australia/Lord_Howe", 2024, { 23.5: 1, 24: 364, 24.5: 1 }],
    ["America/St_Johns", 1988, { 22: 1, 24: 364, 26: 1 }],
    ["Asia/Kolkata", 2023, { 24: 365 }],
    ["Pacific/Apia", 2011, { 23: 1, 24: 362, 25: 1 }],
  ])("walks through the days of %s in %i without a gap", (zone, year, hours) => {
    const counted: Record<number, number> = {};
    const last = calendarEdges("month", zone, Date.UTC(year, 11, 15))[1];
    let at = calendarEdges("month", zone, Date.UTC(year, 0, 15))[0];
    while (at < last) {
      const [start, end] = calendarEdges("day", zone, at);
      expect(start).toBe(at);
      counted[(end - start) / hour] = (counted[(end - start) / hour] ?? 0) + 1;
      at = end;
    }
    expect(at).toBe(last);
    expect(counted).toEqual(hours);
  });

  it("begins every month with a day", () => {
    for (const zone of ["Europe/Berlin", "America/Asuncion", "Asia/Amman", "Pacific/Auckland"]) {
      for (let month = 0; month < 60; month++) {
        const [start, end] = calendarEdges("month", zone, Date.UTC(2015, month, 15));
        expect(calendarEdges("day", zone, start)[0]).toBe(start);
        expect(calendarEdges("day", zone, end - 1)[1]).toBe(end);
        expect(dateIn(zone, start)).toBe(Date.UTC(2015, month, 1));
      }
    }
  });

  it("holds now between the first instants of two dates, whatever zone and time", () => {
    const zones = fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone"));
    const units = fc.constantFrom<CalendarUnit>("day", "month");
    const times = fc.integer({ min: 0, max: Date.UTC(2060, 0) });
    const steps = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(units, zones, times, steps, (unit, zone, now, parts) => {
        const [start, end] = calendarEdges(unit, zone, now);
        expect(start <= now && now < end).toBe(true);
        expect(calendarEdges(unit, zone, end)[0]).toBe(end);
        expect(calendarEdges(unit, zone, start - 1)[1]).toBe(start);
        const first = beginning(unit, dateIn(zone, start));
        expect(beginning(unit, dateIn(zone, end))).toBeGreaterThan(first);
        for (const part of parts) {
          const inside = start + Math.floor(part * (end - start));
          expect(beginning(unit, dateIn(zone, inside))).toBeLessThanOrEqual(first);
          expect(dateIn(zone, start - 1 - Math.floor(part * 2 * day))).toBeLessThan(first);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("agrees with a search minute by minute where clocks change around midnight", () => {
    const nights: [string, string][] = [
      ["America/St_Johns", "2006-04-02T03:30Z"],
      ["America/St_Johns", "2006-10-29T02:30Z"],
      ["America/Sao_Paulo", "2018-11-04T03:00Z"],
      ["Asia/Gaza", "2011-08-01T00:00Z"],
      ["Asia/Amman", "2014-03-28T00:00Z"],
      ["America/Scoresbysund", "2024-03-31T01:00Z"],
      ["Pacific/Fakaofo", "2011-12-30T11:00Z"],
      ["Asia/Pyongyang", "2015-08-14T15:00Z"],
    ];
    for (const [zone, night] of nights) {
      const from = Date.parse(night) - 1.5 * day;
      let seen = dateIn(zone, from);
      for (let at = from; at < from + 3 * day; at += 60_000) {
        const date = dateIn(zone, at);
        if (date <= seen) continue;
        seen = date;
        expect(texts([calendarEdges("day", zone, at)[0]])).toEqual(texts([at]));
        expect(texts([calendarEdges("day", zone, at - 1)[1]])).toEqual(texts([at]));
      }
    }
  });

  describe.each(["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia"])(
    "on a machine in %s",
    (own) => {
      afterEach(() => {
        if (ownZone === undefined) delete process.env.TZ;
        else process.env.TZ = ownZone;
      });

      it("tells the same", async () => {
        process.env.TZ = own;
        expect(new Date(2024, 6, 1).getTime()).toBe(
          calendarEdges("day", own, Date.UTC(2024, 6, 1, 10))[0],
        );
        vi.resetModules();
        const fresh = await import("./calendar.ts");
        for (const [unit, zone, now, start, end] of rows) {
          const edges = fresh.calendarEdges(unit, zone, Date.parse(now));
          expect(texts(edges)).toEqual(texts([start, end]));
        }
      });
    },
  );

  it.each([Number.NaN, Infinity, -Infinity, 8.64e15, 2 ** 53, -1e20])(
    "throws a RangeError at %d, which a Date does not hold together with the next window",
    (now) => {
      expect(() => calendarEdges("day", "Europe/Berlin", now)).toThrow(RangeError);
      expect(() => calendarEdges("month", "Europe/Berlin", now)).toThrow(RangeError);
    },
  );

  it("throws a RangeError for an unknown zone, each time", () => {
    expect(() => calendarEdges("day", "Mars/Base", 0)).toThrow(RangeError);
    expect(() => calendarEdges("day", "Mars/Base", 0)).toThrow(RangeError);
  });
});

describe("calendarEdgesAround", () => {
  it.each<[CalendarUnit, string, string, string[]]>([
    [
      "day",
      "Europe/Berlin",
      "2025-03-30T12:00Z",
      ["2025-03-28T23:00Z", "2025-03-29T23:00Z", "2025-03-30T22:00Z", "2025-03-31T22:00Z"],
    ],
    [
      "month",
      "UTC",
      "2024-01-31T12:00Z",
      ["2023-12-01T00:00Z", "2024-01-01T00:00Z", "2024-02-01T00:00Z", "2024-03-01T00:00Z"],
    ],
    [
      "day",
      "Pacific/Apia",
      "2011-12-29T12:00Z",
      ["2011-12-28T10:00Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
    ],
    [
      "day",
      "Pacific/Apia",
      "2011-12-28T12:00Z",
      ["2011-12-27T10:00Z", "2011-12-28T10:00Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z"],
    ],
    [
      "day",
      "Pacific/Apia",
      "2011-12-30T12:00Z",
      ["2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z", "2012-01-01T10:00Z"],
    ],
  ])("tells the %ss of %s around %s", (unit, zone, now, edges) => {
    expect(texts(calendarEdgesAround(unit, zone, Date.parse(now)))).toEqual(texts(edges));
  });

  it("is made of the edges of three windows", () => {
    const zones = fc.constantFrom("Pacific/Apia", "America/St_Johns", "Asia/Beirut", "Europe/Kyiv");
    const units = fc.constantFrom<CalendarUnit>("day", "month");
    const times = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2013, 0) });
    fc.assert(
      fc.property(units, zones, times, (unit, zone, now) => {
        const [previous, start, end, next] = calendarEdgesAround(unit, zone, now);
        expect([start, end]).toEqual(calendarEdges(unit, zone, now));
        expect([previous, start]).toEqual(calendarEdges(unit, zone, start - 1));
        expect([end, next]).toEqual(calendarEdges(unit, zone, end));
      }),
    );
  });
});

describe("what is remembered", () => {
  const real = Intl.DateTimeFormat;
  let made = 0;

  function count(): void {
    made = 0;
    Intl.DateTimeFormat = new Proxy(real, {
      construct: (target, args) => {
        made++;
        return new target(...args);
      },
    });
  }

  afterEach(() => {
    Intl.DateTimeFormat = real;
  });

  it("answers a window's later calls with the same frozen edges and no look at the calendar", () => {
    count();
    const [start, end] = calendarEdges("day", "Asia/Seoul", Date.UTC(2024, 5, 1));
    expect(made).toBe(1);
    const edges = calendarEdges("day", "Asia/Seoul", start);
    const around = calendarEdgesAround("day", "Asia/Seoul", start);
    for (const now of [start, start + 1, end - 1]) {
      expect(calendarEdges("day", "Asia/Seoul", now)).toBe(edges);
      expect(calendarEdgesAround("day", "Asia/Seoul", now)).toBe(around);
    }
    expect(made).toBe(1);
    expect(Object.isFrozen(edges) && Object.isFrozen(around)).toBe(true);
  });

  it("serves clocks on both sides of an edge", () => {
    const edge = calendarEdges("month", "Asia/Seoul", Date.UTC(2024, 5, 15))[1];
    calendarEdges("month", "Asia/Seoul", edge);
    count();
    for (let turn = 0; turn < 5; turn++) {
      expect(calendarEdges("month", "Asia/Seoul", edge - 1)[1]).toBe(edge);
      expect(calendarEdges("month", "Asia/Seoul", edge)[0]).toBe(edge);
    }
    expect(made).toBe(0);
  });

  it("forgets the oldest zone when odd spellings pile up", () => {
    const now = Date.UTC(2024, 5, 1, 12);
    calendarEdges("day", "Asia/Manila", now);
    count();
    for (let i = 0; i < 1000; i++) {
      expect(calendarEdges("day", spelling("Europe/Berlin", 2 * i), now)[0]).toBe(now - 14 * hour);
    }
    expect(made).toBe(1000);
    calendarEdges("day", spelling("Europe/Berlin", 2 * 999), now);
    expect(made).toBe(1000);
    expect(calendarEdges("day", "Asia/Manila", now)[0]).toBe(now - 20 * hour);
    expect(made).toBe(1001);
  });
});

describe("isTimeZone", () => {
  it.each(["UTC", "Europe/Berlin", "Asia/Calcutta", "america/new_york", "Etc/GMT-5", "EST5EDT"])(
    "accepts %s",
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );

  it.each<unknown>([
    ...["Mars/Base", "Europe/Berlinn", "", " UTC", "UTC\n", "local", "+01:00", "x".repeat(70_000)],
    ...[undefined, null, 0, { toString: () => "UTC" }],
  ])("refuses %j", (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});

function texts(edges: readonly (number | string)[]): string[] {
  return edges.map((edge) => new Date(edge).toISOString());
}

const dates = new Map<string, Intl.DateTimeFormat>();

/** Returns the local date as the UTC midnight of that date, using another format than the code under test. */
function dateIn(zone: string, at: number): number {
  let format = dates.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short" });
    dates.set(zone, format);
  }
  const [date, month, year] = format.format(at).split("/").map(Number);
  return Date.UTC(year as number, (month as number) - 1, date);
}

function beginning(unit: CalendarUnit, date: number): number {
  return unit === "day" ? date : new Date(date).setUTCDate(1);
}

/** Returns one of the 2^12 spellings of a twelve-letter name in upper and lower case. */
function spelling(name: string, bits: number): string {
  let letter = 0;
  return name.replace(/[a-z]/gi, (char) =>
    (bits >> letter++) & 1 ? char.toUpperCase() : char.toLowerCase(),
  );
}
