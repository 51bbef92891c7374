import { describe, expect, it } from "vitest";
import type { PolicyOptions } from "../options/policy-options.ts";
import { policyMeaning } from "./policy-meaning.ts";

type Given = Omit<PolicyOptions<never>, "limit" | "window"> & { readonly window?: unknown };

const meaning = (given: object) => policyMeaning({ limit: 5, window: "1m", ...given } as never);

describe("policyMeaning", () => {
  it.each<[what: string, one: Given, other: Given]>([
    ["a window in other units", { window: "60s" }, { window: 60_000 }],
    ["the usual algorithm", {}, { algorithm: "sliding-window" }],
    ["the usual segments", {}, { segments: 1 }],
    ["the usual alignment", fixed({}), fixed({ align: "clock" })],
    ["the usual zone", fixed({ window: "day" }), fixed({ window: "day", timeZone: "UTC" })],
    ["a burst of the limit", bucket({}), bucket({ burst: 5 })],
    ["a queue that holds", leaky({}), leaky({ delay: true })],
    ["what it does not hold", {}, { shadow: true, cost: 3, name: "other" }],
    ["functions", { window: () => "1m" }, { window: () => "1h" }],
    [
      "tiers in other units",
      { tiers: { pro: { limit: 9, window: "1h" } } },
      { tiers: { pro: { limit: 9, window: 3_600_000 } } },
    ],
  ])("is the same for %s", (_, one, other) => {
    expect(meaning(one)).toBe(meaning(other));
  });

  it.each<[what: string, one: Given, other: Given]>([
    ["windows", {}, { window: "61s" }],
    ["algorithms", {}, { algorithm: "sliding-log" }],
    ["segments", {}, { segments: 2 }],
    ["alignments", fixed({}), fixed({ align: "first-request" })],
    ["zones", fixed({ window: "day" }), fixed({ window: "day", timeZone: "Europe/Berlin" })],
    [
      "zones of windows by a function",
      fixed({ window: () => "day" }),
      fixed({ window: () => "day", timeZone: "Europe/Berlin" }),
    ],
    ["bursts", bucket({}), bucket({ burst: 6 })],
    ["queues", leaky({}), leaky({ delay: false })],
    ["limits of tiers", { tiers: { pro: { limit: 9 } } }, { tiers: { pro: { limit: 8 } } }],
    ["tiers", {}, { tiers: { pro: { limit: 9 } } }],
    ["a function and a number", {}, { window: () => "1m" }],
  ])("differs for other %s", (_, one, other) => {
    expect(meaning(one)).not.toBe(meaning(other));
  });
});

function fixed(more: Given): Given {
  return { algorithm: "fixed-window", ...more };
}

function bucket(more: Given): Given {
  return { algorithm: "token-bucket", ...more };
}

function leaky(more: Given): Given {
  return { algorithm: "leaky-bucket", ...more };
}
