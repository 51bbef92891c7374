import { describe, expect, it } from "vitest";
import { isPromise, settled } from "./awaitable.ts";

describe("settled", () => {
  it("applies a function now or later", async () => {
    expect(settled(1, (n) => n + 1)).toBe(2);
    const promise = settled(Promise.resolve(1), (n) => n + 1);
    expect(isPromise(promise)).toBe(true);
    expect(await promise).toBe(2);
  });
});

describe("isPromise", () => {
  it.each([undefined, null, 0, "", {}, () => 1])("takes %o for no promise", (value) => {
    expect(isPromise(value)).toBe(false);
  });
});
