import fc from "fast-check";
import { parseItem, serializeItem } from "structured-headers";
import { describe, expect, it } from "vitest";
import { sfInteger, sfString } from "./structured-field.ts";

describe("sfInteger", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [42, "42"],
    [1.9, "1"],
    [-1.1, "-2"],
    [1e15 - 1, "999999999999999"],
    [1e15, "999999999999999"],
    [Number.MAX_VALUE, "999999999999999"],
    [Number.POSITIVE_INFINITY, "999999999999999"],
    [Number.NEGATIVE_INFINITY, "-999999999999999"],
    [Number.NaN, "0"],
  ])("writes %d as %s", (value, text) => {
    expect(sfInteger(value)).toBe(text);
  });

  it("is read back as a whole number", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(Number.isInteger(parseItem(sfInteger(value))[0])).toBe(true);
      }),
    );
  });
});

describe("sfString", () => {
  it.each([
    ["plain", '"plain"'],
    ['a"b', '"a\\"b"'],
    ["a\\b", '"a\\\\b"'],
    ["a,b;c=d", '"a,b;c=d"'],
    ["a\r\nSet-Cookie: b", '"a%0D%0ASet-Cookie: b"'],
    ["caf\u00e9", '"caf%C3%A9"'],
    ["\u{1f4a9}", '"%F0%9F%92%A9"'],
    ["\ud800", '"%EF%BF%BD"'],
    ["\x7f\0", '"%7F%00"'],
    ["", '""'],
  ])("writes %j as %s", (text, written) => {
    expect(sfString(text)).toBe(written);
  });

  it("writes printable ASCII as structured-headers does", () => {
    const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map(fromCode) });
    fc.assert(
      fc.property(printable, (text) => {
        expect(sfString(text)).toBe(serializeItem(text));
        expect(parseItem(sfString(text))[0]).toBe(text);
      }),
    );
  });

  it("can always be read", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(typeof parseItem(sfString(text))[0]).toBe("string");
      }),
    );
  });
});

function fromCode(code: number): string {
  return String.fromCharCode(code);
}
