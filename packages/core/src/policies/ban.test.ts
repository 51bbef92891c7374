import { describe, expect, it } from "vitest";
import { createLimiter } from "../limiter.ts";
import { type BanOptions, banOf } from "./ban.ts";

const durations = (options: BanOptions): readonly number[] => banOf(options).durations;

describe("banOf", () => {
  it.each<[BanOptions, number[]]>([
    [{ for: "1m" }, [60_000]],
    [{ for: "1m", factor: 2, ceiling: "5m" }, [60_000, 120_000, 240_000, 300_000]],
    [{ for: 1, factor: 1.5, ceiling: 4 }, [1, 2, 3, 4]],
    [{ for: "12h", factor: 10 }, [43_200_000, 86_400_000]],
    [{ for: "2d", factor: 10 }, [172_800_000]],
    [{ for: 7, factor: Number.MAX_VALUE, ceiling: 9 }, [7, 9]],
    [{ for: "1m", ceiling: "36500d" }, [60_000]],
    [{ for: "36500d", factor: 2, ceiling: "36500d" }, [3_153_600_000_000]],
  ])("says of %j how long each ban is, in whole milliseconds", (options, expected) => {
    expect(durations(options)).toEqual(expected);
  });

  it("leaves out what the policy says", () => {
    expect(banOf({ for: "1s" })).toEqual({ after: 1, durations: [1000], extend: false });
    expect(banOf({ for: "1s", within: "2s", after: 3 })).toMatchObject({ within: 2000, after: 3 });
  });

  it("grows in no more than 64 steps", () => {
    const slow = { for: "1m", factor: 1.123, ceiling: "1d" } as const;
    expect(durations(slow).length).toBeLessThanOrEqual(64);
    expect(durations(slow).at(-1)).toBe(86_400_000);
  });
});

describe("a ban as an option", () => {
  it.each<[unknown, string]>([
    [3, 'ban: expected an object such as { for: "15m" }, received 3'],
    [
      {},
      'ban.for: expected whole milliseconds from 1 to 3153600000000, or a string like "10s", "1m", "1h" or "1d", received undefined',
    ],
    [{ for: "1m", after: 0 }, "ban.after: expected a whole number of at least 1, received 0"],
    [{ for: "1m", factor: 0.5 }, "ban.factor: expected a number of at least 1, received 0.5"],
    [
      { for: "1m", factor: Infinity },
      "ban.factor: expected a number of at least 1, received Infinity",
    ],
    [
      { for: "1m", factor: Number.NaN },
      "ban.factor: expected a number of at least 1, received NaN",
    ],
    [{ for: "1m", extend: 1 }, "ban.extend: expected true or false, received 1"],
    [
      { for: "1m", status: 403 },
      "ban.status: expected a known option: after, within, for, factor, ceiling or extend, received 403",
    ],
    [{ for: "1m", times: 3 }, "ban.times: expected a known option: after, within, for"],
    [
      { for: "1h", ceiling: "1m" },
      'ban.ceiling: expected at least what for says, 3600000 ms, received "1m"',
    ],
    [
      { for: "1m", factor: 1.001 },
      "ban.factor: expected 1, or at least 1.123, by which 64 bans grow to the ceiling of 86400000 ms, received 1.001",
    ],
  ])("such as %j is refused", (ban, message) => {
    const options = { limit: 1, window: "1m", ban } as never;
    expect(() => createLimiter(options)).toThrow(message);
    const several = { policies: [{ name: "a", limit: 1, window: "1m", ban }] } as never;
    expect(() => createLimiter(several)).toThrow(`policies[0].${message}`);
  });

  it("takes the least factor that a message names", () => {
    for (const [first, ceiling, expected] of [
      ["1ms", "1d", "1.337"],
      ["1m", "36500d", "1.327"],
      ["59s", "1h", "1.068"],
      [999, 1000, "1.001"],
    ] as const) {
      const of = (factor: number) =>
        createLimiter({ limit: 1, window: "1m", ban: { for: first, ceiling, factor } });
      const [, least] = /at least ([\d.]+),/.exec(messageOf(() => of(1.000_000_1))) ?? [];
      expect(least).toBe(expected);
      expect(() => of(Number(least))).not.toThrow();
    }
  });
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
