import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { assert } from "./assert.ts";

describe("assert.deepEqual", () => {
  it("takes data of another realm for the same", () => {
    const other: unknown = runInNewContext("({ list: [1, undefined, NaN], text: 'a' })");
    assert.deepEqual(other, { list: [1, undefined, Number.NaN], text: "a" });
  });

  it.each([
    [{ a: 1 }, { a: "1" }],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: undefined }, {}],
    [[-0], [0]],
  ])("tells %o from %o", (one, other) => {
    expect(() => assert.deepEqual(one, other)).toThrow();
  });
});
