import { describe, expect, it } from "vitest";
import { createPolicy, type PolicySettings } from "../policy.ts";
import { ceilingOf } from "./ceiling.ts";

const settings: PolicySettings = {
  name: "login",
  space: "login",
  algorithm: "token-bucket",
  limit: 5,
  window: 60_000,
  timeZone: "UTC",
  segments: 1,
  align: "clock",
  delay: true,
  shadow: false,
  countRefused: false,
  onStoreError: "closed",
};

describe("ceilingOf", () => {
  it("is ten times the limit over the same window, by a sliding window", () => {
    const ceiling = ceilingOf(createPolicy(settings), undefined);
    expect(ceiling).toMatchObject({
      name: "login",
      limit: 50,
      window: 60_000,
      onStoreError: "closed",
    });
    expect(ceiling.algorithm.name).toBe("sliding-window");
  });

  it("takes a number of units, 0 too", () => {
    const policy = createPolicy(settings);
    expect([0, 3, undefined, 7].map((units) => ceilingOf(policy, units).limit)).toEqual([
      0, 3, 50, 7,
    ]);
  });

  it("is made once for a policy and a number", () => {
    const policy = createPolicy(settings);
    expect(ceilingOf(policy, 3)).toBe(ceilingOf(policy, 3));
    expect(ceilingOf(policy, undefined)).toBe(ceilingOf(policy, undefined));
    expect(ceilingOf(createPolicy(settings), 3)).not.toBe(ceilingOf(policy, 3));
  });

  it("keeps its count where no policy can have its own", () => {
    const policy = createPolicy(settings);
    expect(ceilingOf(policy, 3).space).toBe(ceilingOf(policy, 7).space);
    expect(ceilingOf(policy, 3).space).not.toMatch(/^[\x20-\x7e]*$/);
  });

  it("stays within what its arithmetic can count", () => {
    const huge = createPolicy({ ...settings, algorithm: "fixed-window", limit: 2 ** 52 });
    const { limit, window } = ceilingOf(huge, undefined);
    expect(limit * 2 * window).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    expect(ceilingOf(huge, Number.MAX_SAFE_INTEGER).limit).toBe(limit);
  });

  it("refuses nobody where its policy only looks", () => {
    expect(ceilingOf(createPolicy({ ...settings, shadow: true }), undefined).shadow).toBe(true);
  });

  it("has a length for calendar windows", () => {
    for (const [window, length] of [
      ["day", 86_400_000],
      ["month", 30 * 86_400_000],
    ] as const) {
      const policy = createPolicy({ ...settings, algorithm: "fixed-window", window });
      expect(ceilingOf(policy, undefined).window).toBe(length);
    }
  });
});
