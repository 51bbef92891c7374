import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateStatus } from "./rate-status.ts";
import { resetWriter, type TimeFormat, timeFormats } from "./time-format.ts";

const T0 = Date.UTC(2023, 10, 14, 22, 20, 0);

function write(format: TimeFormat, decimals: number | undefined, after: number, now = T0): string {
  const status: RateStatus = {
    policy: "default",
    limit: 1,
    window: 1000,
    remaining: 0,
    retryAfter: 0,
    resetAfter: after,
    allowed: true,
  };
  return resetWriter(format, decimals)(status, now);
}

describe("resetWriter", () => {
  it.each<[TimeFormat, number | undefined, after: number, told: string]>([
    ["epoch", undefined, 0, "1700000400"],
    ["epoch", undefined, 1, "1700000401"],
    ["epoch", 1, 1, "1700000400.1"],
    ["epoch", 3, 1, "1700000400.001"],
    ["delta", undefined, 0, "0"],
    ["delta", undefined, 1, "1"],
    ["delta", 0, 64_570, "65"],
    ["delta", 1, 64_570, "64.6"],
    ["delta", 2, 64_570, "64.57"],
    ["delta", 2, 64_571, "64.58"],
    ["delta", 3, 64_570, "64.570"],
    ["delta", 2, 60_000, "60.00"],
    ["duration", undefined, 0, "0s"],
    ["duration", undefined, 6, "6ms"],
    ["duration", undefined, 999, "999ms"],
    ["duration", undefined, 1000, "1s"],
    ["duration", undefined, 1500, "1.5s"],
    ["duration", undefined, 7660, "7.66s"],
    ["duration", undefined, 1007, "1.007s"],
    ["duration", undefined, 60_000, "1m0s"],
    ["duration", undefined, 360_000, "6m0s"],
    ["duration", undefined, 179_560, "2m59.56s"],
    ["duration", undefined, 3_600_000, "1h0m0s"],
    ["duration", undefined, 90_061_001, "25h1m1.001s"],
    ["duration", 0, 999, "1s"],
    ["duration", 0, 59_001, "1m0s"],
    ["duration", 1, 930, "1s"],
    ["duration", 2, 566, "570ms"],
    ["rfc3339", undefined, 0, "2023-11-14T22:20:00Z"],
    ["rfc3339", undefined, 1, "2023-11-14T22:20:01Z"],
    ["rfc3339", 1, 101, "2023-11-14T22:20:00.2Z"],
    ["rfc3339", 3, 101, "2023-11-14T22:20:00.101Z"],
    ["http-date", undefined, 0, "Tue, 14 Nov 2023 22:20:00 GMT"],
    ["http-date", undefined, 1, "Tue, 14 Nov 2023 22:20:01 GMT"],
  ])("%s with %s decimals after %d ms: %s", (format, decimals, after, told) => {
    expect(write(format, decimals, after)).toBe(told);
  });

  const decimals = fc.integer({ min: 0, max: 3 });
  const after = fc.oneof(fc.nat(200_000), fc.nat(2 ** 40));

  it.each<[TimeFormat, parse: (text: string, now: number) => number]>([
    ["epoch", (text, now) => thousandths(text) - now],
    ["delta", thousandths],
    ["duration", durationOf],
    ["rfc3339", (text, now) => Date.parse(text) - now],
    ["http-date", (text, now) => Date.parse(text) - now],
  ])("never tells too early in %s, nor later than its last digit says", (format, parse) => {
    fc.assert(
      fc.property(decimals, after, fc.nat(2 ** 41), (decimals, after, now) => {
        const digits = format === "http-date" ? 0 : decimals;
        const read = parse(write(format, digits, after, now), now);
        expect(read).toBeGreaterThanOrEqual(after);
        expect(read - after).toBeLessThan(10 ** (3 - digits));
      }),
    );
  });

  it("writes something that is readable, whatever a store says", () => {
    const shapes: Readonly<Record<TimeFormat, RegExp>> = {
      epoch: /^\d{1,15}(?:\.\d{1,3})?$/,
      delta: /^\d{1,15}(?:\.\d{1,3})?$/,
      duration: /^(?:\d{1,3}ms|(?:\d+h)?(?:\d{1,2}m)?\d{1,2}(?:\.\d{1,3})?s)$/,
      rfc3339: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/,
      "http-date": /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
    };
    const wild = fc.oneof(
      fc.double({ noDefaultInfinity: false }),
      fc.constantFrom(Number.NaN, 1e300, -1, 2 ** 53, Number.POSITIVE_INFINITY),
    );
    const format = fc.constantFrom(...timeFormats);
    fc.assert(
      fc.property(format, decimals, wild, wild, (format, decimals, after, now) => {
        expect(write(format, decimals, after, now)).toMatch(shapes[format]);
      }),
    );
  });
});

/** Parses seconds without floating-point error. */
function thousandths(text: string): number {
  const [whole, fraction = ""] = text.split(".") as [string, string?];
  return Number(whole) * 1000 + Number(fraction.padEnd(3, "0"));
}

/** Parses a duration as Go writes it. */
function durationOf(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|[hms])/g)) {
    if (unit === "ms") sum += Number(amount);
    else sum += thousandths(amount!) * { h: 3600, m: 60, s: 1 }[unit as "h" | "m" | "s"];
  }
  return sum;
}
