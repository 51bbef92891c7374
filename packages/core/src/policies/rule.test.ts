import { describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicyOptions } from "../options/policy-options.ts";
import { createRule } from "./rule.ts";

const later = <T>(value: T): Promise<T> => Promise.resolve(value);

function ruleOf(options: Partial<PolicyOptions<unknown>>) {
  const given = { limit: 5, window: "1m", ...options } as PolicyOptions<never>;
  return createRule(given, {
    store: memoryStore(),
    onStoreError: "open",
    path: "policies[2].",
    memory: { made: new WeakSet(), spaces: new Map() },
    warn() {},
  });
}

describe("createRule", () => {
  it("answers in place where the options do", () => {
    const rule = ruleOf({ limit: (req) => Number(req), cost: (req) => Number(req) + 1 });
    expect(rule.policyFor(7)).toMatchObject({ name: "default", limit: 7, window: 60_000 });
    expect(rule.costOf(7)).toBe(8);
    expect(ruleOf({}).costOf(undefined)).toBe(1);
  });

  it("waits where the options are not known yet", async () => {
    const rule = ruleOf({ limit: () => later(3), cost: () => later(2), skip: () => later(true) });
    expect(await rule.policyFor(undefined)).toMatchObject({ limit: 3 });
    expect(await rule.costOf(undefined)).toBe(2);
    expect(await rule.skips?.(undefined)).toBe(true);
  });

  it("makes the policy of a limit once, and not more than some hundreds", () => {
    const rule = ruleOf({ limit: (req) => Number(req) });
    const first = rule.policyFor(1);
    expect(rule.policyFor(1)).toBe(first);
    for (let limit = 2; limit < 1000; limit++)
      expect(rule.policyFor(limit)).toMatchObject({ limit });
    const again = rule.policyFor(1);
    expect(again).not.toBe(first);
    expect(again).toMatchObject({ limit: 1, space: rule.space.id });
  });

  it.each(["60000", [60_000], { toString: () => "60000" }, Symbol("60000"), null, 60_000n])(
    "refuses %s as a window that a function answered, whatever it answered before",
    (value) => {
      const rule = ruleOf({ window: (req) => req as never });
      expect(rule.policyFor(60_000)).toMatchObject({ window: 60_000 });
      expect(() => rule.policyFor(value)).toThrow(ConfigError);
    },
  );

  it.each([undefined, null, Number.NaN, "2", -1, 1.5, Infinity, 2 ** 53, {}, [2], true, 2n])(
    "refuses %s as a limit or a cost that a function answered",
    async (value) => {
      const problem =
        /: expected a whole number from 0 to 2\^53 - 1( \(convert it: Number\(…\)\))?, received /;
      const now = ruleOf({ limit: () => value as never, cost: () => value as never });
      expect(() => now.policyFor(undefined)).toThrow(ConfigError);
      expect(() => now.policyFor(undefined)).toThrow(
        new RegExp(`^policies\\[2\\]\\.limit${problem.source}`),
      );
      expect(() => now.costOf(undefined)).toThrow(
        new RegExp(`^policies\\[2\\]\\.cost${problem.source}`),
      );
      const soon = ruleOf({
        limit: () => later(value as never),
        cost: () => later(value as never),
      });
      await expect(soon.policyFor(undefined)).rejects.toThrow(problem);
      await expect(soon.costOf(undefined)).rejects.toThrow(problem);
    },
  );

  it("refuses a limit that its algorithm cannot keep, when it comes", () => {
    const rule = ruleOf({ algorithm: "sliding-log", limit: () => 100_001 });
    expect(() => rule.policyFor(undefined)).toThrow(
      "policies[2].limit: expected at most 100000 for a sliding log, received 100001",
    );
  });

  it("skips for true alone, and refuses to take anything else for it", () => {
    const skips = (value: unknown) => ruleOf({ skip: () => value as boolean }).skips?.(undefined);
    expect(skips(true)).toBe(true);
    for (const value of [false, undefined, null]) expect(skips(value)).toBe(false);
    for (const value of [1, "true", {}, []]) {
      expect(() => skips(value)).toThrow(/^policies\[2\]\.skip: expected true or false, received /);
    }
    expect(ruleOf({}).skips).toBeUndefined();
  });
});
