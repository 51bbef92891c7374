import { describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { manualClock } from "./manual-clock.ts";

describe("manualClock", () => {
  it("stands until it is moved", () => {
    const clock = manualClock(1000);
    expect([clock(), clock()]).toEqual([1000, 1000]);
    clock.advance(5);
    clock.advance(-2);
    expect(clock()).toBe(1003);
    clock.advance("1.5m");
    expect(clock()).toBe(91_003);
    clock.set(7);
    expect(clock()).toBe(7);
  });

  it("begins with a full day", () => {
    expect(manualClock()() % 86_400_000).toBe(0);
  });

  it.each<[what: unknown, told: string]>([
    ["1 minute", 'by: expected milliseconds, or a string like "1m", received "1 minute"'],
    ["60", 'received "60"'],
    [undefined, "received undefined"],
    [Number.NaN, "received NaN"],
    [60n, "by: expected"],
  ])("refuses to move by %o, and stays", (by, told) => {
    const clock = manualClock(1000);
    expect(() => clock.advance(by as number)).toThrow(told);
    expect(clock()).toBe(1000);
  });

  it("refuses what is no time", () => {
    const clock = manualClock(1000);
    expect(() => clock.set("5" as never)).toThrow(ConfigError);
    expect(() => clock.set(new Date() as never)).toThrow("now: expected epoch milliseconds");
    expect(() => manualClock(null as never)).toThrow("start: expected epoch milliseconds");
    expect(clock()).toBe(1000);
  });
});
