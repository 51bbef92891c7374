import { describe, expect, it } from "vitest";
import { preflight } from "./preflight.ts";

describe("preflight", () => {
  it("is true for OPTIONS, and for nothing else", () => {
    expect(preflight({ method: "OPTIONS" })).toBe(true);
    for (const method of ["GET", "options", "", undefined])
      expect(preflight({ method })).toBe(false);
  });
});
