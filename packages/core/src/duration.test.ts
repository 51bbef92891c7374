import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationHint, longestDuration, parseDuration } from "./duration.ts";

const day = 86_400_000;

describe("parseDuration", () => {
  it.each<[unknown, number]>([
    [1, 1],
    [250, 250],
    [1500, 1500],
    [60_000, 60_000],
    [365 * day, 365 * day],
    [longestDuration, longestDuration],
    ["1ms", 1],
    ["250ms", 250],
    ["10s", 10_000],
    ["60s", 60_000],
    ["1m", 60_000],
    ["15m", 900_000],
    ["1h", 3_600_000],
    ["24h", day],
    ["1d", day],
    ["2w", 14 * day],
    ["365d", 365 * day],
    ["36500d", longestDuration],
    ["1.5s", 1500],
    ["1.50s", 1500],
    ["1.001s", 1001],
    ["0.1s", 100],
    ["4.35s", 4350],
    ["0.5m", 30_000],
    ["2.0ms", 2],
    ["0.125d", day / 8],
    ["010s", 10_000],
  ])("reads %j as %d ms", (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  it.each<[received: string, value: unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["0", 0],
    ["0", -0],
    ["-1", -1],
    ["0.5", 0.5],
    ["1500.5", 1500.5],
    ["a value of type boolean", true],
    ["a value of type bigint", 10n],
    ["a value of type object", { valueOf: () => 10 }],
    ["a value of type object", new Date(10)],
    ["an array", ["1m"]],
    ["a value of type function", () => 10],
    ["a value of type symbol", Symbol("1m")],
    ['""', ""],
    ['"60000"', "60000"],
    ['"10junk"', "10junk"],
    ['"6O"', "6O"],
    ['"1Os"', "1Os"],
    ['"s"', "s"],
    ['".5s"', ".5s"],
    ['"1.s"', "1.s"],
    ['"0s"', "0s"],
    ['"0.0d"', "0.0d"],
    ['"-1s"', "-1s"],
    ['"+1s"', "+1s"],
    ['"1e3s"', "1e3s"],
    ['"0x10s"', "0x10s"],
    ['"1_000ms"', "1_000ms"],
    ['"1,5s"', "1,5s"],
    ['"1 m"', "1 m"],
    ['" 1m"', " 1m"],
    ['"1m\\n"', "1m\n"],
    ['"1M"', "1M"],
    ['"1y"', "1y"],
    ['"1h30m"', "1h30m"],
    ['"1 minute"', "1 minute"],
    ['"constructor"', "constructor"],
    ['"1__proto__"', "1__proto__"],
    ['"١s"', "١s"],
    ['"1.5ms"', "1.5ms"],
    ['"1.0005s"', "1.0005s"],
    ['"NaN"', "NaN"],
    [`"${"1".repeat(40)}…"`, "1".repeat(70_000)],
  ])("refuses %s", (_, value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  it.each<[received: string, value: unknown]>([
    ["3153600000001", longestDuration + 1],
    ["9007199254740992", 2 ** 53],
    ["1e+300", 1e300],
    ['"36500.5d"', "36500.5d"],
    ['"36501d"', "36501d"],
    ['"9999999999999999w"', "9999999999999999w"],
  ])("refuses %s as too long", (_, value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  it("answers nothing but whole milliseconds within bounds", () => {
    const text = fc
      .tuple(fc.double(), fc.constantFrom("ms", "s", "m", "h", "d", "w", "", "x"))
      .map(([amount, unit]) => `${amount}${unit}`);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.string(), text), (value) => {
        const ms = parseDuration(value);
        if (ms !== undefined) {
          expect(Number.isSafeInteger(ms) && ms >= 1 && ms <= longestDuration).toBe(true);
        }
      }),
    );
  });

  it("reads decimals without the bias of floats", () => {
    const amount = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(amount, (ms) => {
        const seconds = `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, "0")}s`;
        expect(parseDuration(seconds)).toBe(ms);
      }),
    );
  });
});

describe("durationHint", () => {
  it.each<[value: unknown, hint: string]>([
    ["60", ' (a string needs a unit: "60s")'],
    ["999", ' (a string needs a unit: "999s")'],
    ["60000", ' (a string needs a unit: "60000ms")'],
    ["1 minute", ' (did you mean "1m"?)'],
    ["15 Minutes", ' (did you mean "15m"?)'],
    [" 10 secs", ' (did you mean "10s"?)'],
    ["2hours", ' (did you mean "2h"?)'],
    ["1 day", ' (did you mean "1d"?)'],
    ["1W", ' (did you mean "1w"?)'],
    ["500 milliseconds", ' (did you mean "500ms"?)'],
    ["minute", ' (did you mean "1m"?)'],
    ["Hour", ' (did you mean "1h"?)'],
    ["1 month", ""],
    ["0", ""],
    ["0s", ""],
    ["0 minutes", ""],
    ["40000d", ""],
    ["999999999999 days", ""],
    ["1.5 hours", ""],
    ["-5", ""],
    ["", ""],
    [60.5, ""],
    [undefined, ""],
  ])("of %j is %j", (value, hint) => {
    expect(durationHint(value)).toBe(hint);
    const meant = /(?:mean|unit:) "(.*)"/.exec(hint)?.[1];
    if (meant !== undefined) expect(parseDuration(meant)).toBeGreaterThan(0);
  });

  it("reads long texts at once", () => {
    expect(durationHint(`1${" ".repeat(200_000)}!`)).toBe("");
  });
});
