import { describe, expect, it } from "vitest";
import { inheritsNoPolicy, overridden } from "./override.ts";

const day = { limit: 10, window: "day", timeZone: "Asia/Tokyo", status: 420 } as const;
const bucket = { algorithm: "token-bucket", limit: 10, window: "1m", burst: 20 } as const;
const tiers = {
  limit: 10,
  window: "1m",
  tier: () => "pro",
  tiers: { pro: { limit: 20 } },
} as const;
const many = { policies: [{ name: "a", limit: 1, window: "1s" }], headers: false } as const;

describe("overridden", () => {
  it.each([
    ["keeps what is left out", day, { limit: 5 }, { ...day, limit: 5 }],
    ["takes undefined for left out", day, { limit: undefined }, day],
    [
      "drops a time zone with its calendar",
      day,
      { window: "1h" },
      { limit: 10, window: "1h", status: 420 },
    ],
    ["keeps it for another calendar window", day, { window: "month" }, { ...day, window: "month" }],
    [
      "drops a burst with its limit",
      bucket,
      { limit: 5 },
      { algorithm: "token-bucket", limit: 5, window: "1m" },
    ],
    [
      "drops tiers, and who has one, with the limit",
      tiers,
      { limit: 5 },
      { limit: 5, window: "1m" },
    ],
    ["keeps the choice for tiers of one's own", tiers, { tiers: {} }, { ...tiers, tiers: {} }],
    [
      "takes what policies share, of several",
      many,
      { limit: 5, window: "1m" },
      { headers: false, limit: 5, window: "1m" },
    ],
  ] as const)("%s", (_, base, own, expected) => {
    expect(overridden<unknown>(base, own, "place")).toEqual({ ...expected, name: "place" });
  });

  it("gives several policies no name, and nothing of the one before", () => {
    expect(overridden<unknown>(day, many, "place")).toEqual({ ...many, status: 420 });
  });

  it("lets a place name itself", () => {
    expect(overridden<unknown>(day, { name: "own" }, "place")).toEqual({ ...day, name: "own" });
  });
});

describe("inheritsNoPolicy", () => {
  it("says what stands in the way, where something does", () => {
    expect(inheritsNoPolicy(many, { headers: "legacy" })).toBe("policies");
    expect(inheritsNoPolicy(many, many)).toBeUndefined();
    expect(inheritsNoPolicy(day, {})).toBeUndefined();
  });
});
