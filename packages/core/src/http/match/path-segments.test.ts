import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decoded, folded, pathSegments } from "./path-segments.ts";

describe("pathSegments", () => {
  it.each([
    ["/", []],
    ["", []],
    ["/a/b", ["a", "b"]],
    ["//a///b/", ["a", "b"]],
    ["/%61/b%2Fc", ["a", "b/c"]],
    ["/%2561", ["%61"]],
    ["/%zz/%61%", ["%zz", "%61%"]],
    ["/caf%C3%A9/caf%C3", ["café", "caf%C3"]],
    ["/a;b/../.", ["a;b", "..", "."]],
    ["*", ["*"]],
  ])("of %s", (path, segments) => {
    expect(pathSegments(path, 9, false)).toEqual(segments);
  });

  it("keeps empty ones where asked, and stops where it need not go on", () => {
    expect(pathSegments("//a//b/", 9, true)).toEqual(["", "a", "", "b", ""]);
    expect(pathSegments("/", 9, true)).toEqual([""]);
    expect(pathSegments("/a/b/c/d", 2, false)).toEqual(["a", "b"]);
    expect(pathSegments("/".repeat(1e5), 3, false)).toEqual([]);
  });
});

describe("folded", () => {
  it("makes one of all that some way of folding takes for equal", () => {
    const letters = fc.stringMatching(/^[aAkKsSſKßẞσΣςİiıéÉǆǅǄﬀβϐ]{0,6}$/u);
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const equal =
          a.toLowerCase() === b.toLowerCase() ||
          a.toUpperCase() === b.toUpperCase() ||
          new RegExp(`^${a}$`, "i").test(b) ||
          new RegExp(`^${a}$`, "iu").test(b);
        if (equal) expect(folded(a)).toBe(folded(b));
      }),
      { numRuns: 3000 },
    );
    expect(folded("ΑΣ")).toBe(folded("ας"));
    expect(folded("K")).toBe("k");
  });

  it("is folded for good", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(folded(folded(text))).toBe(folded(text));
      }),
    );
  });
});

describe("decoded", () => {
  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("%", "C", "3", "A", "9", "z") }), (text) => {
        expect(typeof decoded(text)).toBe("string");
      }),
    );
  });
});
