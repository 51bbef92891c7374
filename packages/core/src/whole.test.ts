import { describe, expect, it } from "vitest";
import { ConfigError } from "./errors.ts";
import { wholeOf } from "./whole.ts";

describe("wholeOf", () => {
  it.each([0, 1, 2 ** 53 - 1])("passes %d on", (value) => {
    expect(wholeOf(value, "cost")).toBe(value);
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN, Infinity, "1", 1n, null, undefined])(
    "refuses %s",
    (value) => {
      expect(() => wholeOf(value, "cost")).toThrow(ConfigError);
      expect(() => wholeOf(value, "cost")).toThrow(/^cost: expected a whole number from 0 to /);
    },
  );
});
