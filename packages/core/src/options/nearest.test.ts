import { describe, expect, it } from "vitest";
import { nearest, nearestInCode } from "./nearest.ts";

describe("nearest", () => {
  it.each<[name: string, known: readonly string[], inCode: string, inData: string]>([
    ["lmit", ["limit", "window"], "limit", "limit"],
    ["inmemoryBlockDuration", ["store"], "store: denyCache(store)", "store: denyCache(store)"],
    ["nmae", ["name", "window"], "name", "name"],
    ["LIMT", ["limit"], "limit", "limit"],
    ["plan", ["ban", "name"], "", ""],
    ["plan", ["ban", "tier"], "tier", "tier"],
    ["zzzz", ["limit", "window"], "", ""],
    ["message", ["body"], 'body: () => "…"', "body"],
    ["requestWasSuccessful", ["refund"], "refund: (status, req) => …, or count likewise", "refund"],
    ["skipFailedRequests", ["refund"], 'refund: "failed"', 'refund: "failed"'],
    ["max", ["limit", "maxKeys"], "limit", "limit"],
    ["max", ["maxKeys", "clock"], "maxKeys", "maxKeys"],
    ["draft-9", ["draft-6", "draft-7", "draft-8"], "draft-8", "draft-8"],
  ])("of %s among %j is %s in code, and %s in data", (name, known, inCode, inData) => {
    expect(nearestInCode(name, known)).toBe(inCode);
    expect(nearest(name, known)).toBe(inData);
  });
});
