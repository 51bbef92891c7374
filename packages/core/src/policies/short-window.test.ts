import { describe, expect, it } from "vitest";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";

type Options = Parameters<typeof createLimiter>[0];

const told = async (options: object): Promise<[string, string][]> => {
  const warnings: [string, string][] = [];
  const onWarning = (warning: Error & { readonly code: string }) =>
    warnings.push([warning.code, warning.message]);
  const limiter = createLimiter({ limit: 5, ...options, onWarning } as Options);
  const tier = "tiers" in options ? "free" : undefined;
  for (const key of ["a", "b"]) await limiter.check(key, { tier });
  return warnings;
};

const fixed = { algorithm: "fixed-window", store: memoryStore() };

describe("a window", () => {
  it.each<[options: object, start: string]>([
    [{ window: 60 }, "window is 60: "],
    [{ window: 1 }, "window is 1: "],
    [{ window: 999 }, "window is 999: "],
    [{ window: () => 60 }, "window is 60: "],
    [{ window: async () => 60 }, "window is 60: "],
    [{ window: "1m", tiers: { free: { window: 30 } } }, "tiers.free.window is 30: "],
    [{ window: "1m", tiers: { free: { window: () => 30 } } }, "tiers.free.window is 30: "],
    [{ window: "1m", ban: { for: 900 } }, "ban.for is 900: "],
    [{ window: "1m", ban: { for: "1m", within: 60 } }, "ban.within is 60: "],
    [{ window: "1m", ban: { for: 1, ceiling: "1h" } }, "ban.for is 1: "],
  ])("that is a bare number below a second is warned of, once: %o", async (options, start) => {
    const warnings = await told(options);
    expect(warnings).toEqual([["SPILLWAY_SHORT_WINDOW", expect.stringContaining(start)]]);
    expect(warnings[0]![1]).toMatch(/Write "(\d+)s" for seconds, or "\1ms"/);
  });

  it("is named by where it stands among several", async () => {
    const policies = [
      { name: "a", limit: 5, window: "1m" },
      { name: "b", limit: 5, window: 60 },
    ];
    const warnings: string[] = [];
    createLimiter({ policies, onWarning: ({ message }) => warnings.push(message) } as Options);
    expect(warnings).toEqual([expect.stringMatching(/^policies\[1\]\.window is 60: /)]);
  });

  it.each<[options: object]>([
    [{ window: 1000 }],
    [{ window: 60_000 }],
    [{ window: "60ms" }],
    [{ window: "250ms" }],
    [{ window: () => "60ms" }],
    [{ window: () => 60_000 }],
    [{ window: "day", ...fixed }],
    [{ window: "1m", tiers: { free: { limit: 3 } } }],
    [{ window: "1m", ban: { for: "900ms", within: 60_000, after: 3 } }],
    [{ window: "1m", tiers: { free: { window: "60ms" } } }],
  ])("that says its unit, or is longer, is not: %o", async (options) => {
    expect(await told(options)).toEqual([]);
  });

  it("is what its function answers, watched or not", async () => {
    const limiter = createLimiter({ limit: 5, window: () => 60, onWarning: () => {} });
    expect((await limiter.check("a")).statuses[0]).toMatchObject({ window: 60 });
  });
});
