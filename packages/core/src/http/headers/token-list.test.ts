import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendTokens } from "./token-list.ts";

describe("appendTokens", () => {
  it.each([
    [undefined, ["A", "B"], "A, B"],
    ["", ["A"], "A"],
    ["X-Total", ["A", "B"], "X-Total, A, B"],
    ["x-total,b", ["A", "B"], "x-total, b, A"],
    [["X-Total", "a, b"], ["A", "B", "C"], "X-Total, a, b, C"],
    ["A, B", ["A", "B"], "A, B"],
    ["*", ["A"], "*, A"],
    [" , X-Total ,, ", ["A"], "X-Total, A"],
    ["constructor", ["__proto__", "toString"], "constructor, __proto__, toString"],
    ["X-Total", [], "X-Total"],
    ["X-Total", ["A", "a"], "X-Total, A"],
    [7, ["A"], "7, A"],
  ])("appends to %j the names %j: %s", (existing, names, list) => {
    expect(appendTokens(existing, names)).toBe(list);
  });

  it("changes nothing the second time, and loses nothing", () => {
    const name = fc.string({ unit: fc.constantFrom(..."aAb-*"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(name), fc.array(name), (existing, names) => {
        const list = appendTokens(existing, names);
        expect(appendTokens(list, names)).toBe(list);
        const tokens = list.split(", ").map((token) => token.toLowerCase());
        for (const token of [...existing, ...names]) expect(tokens).toContain(token.toLowerCase());
      }),
    );
  });
});
