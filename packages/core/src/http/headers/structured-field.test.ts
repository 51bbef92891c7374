import fc from "fast-check";
import { parseItem, serializeItem } from "structured-headers";
import { describe, expect, it } from "vitest";
import { isToken, printable, sfInteger, sfSeconds, sfString, tokenOf } from "./structured-field.ts";

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

describe("sfSeconds", () => {
  it.each([
    [0, 0, "0"],
    [1, 0, "1"],
    [1000, 0, "1"],
    [1001, 0, "2"],
    [0, 1, "0.0"],
    [1, 1, "0.1"],
    [2000, 1, "2.0"],
    [64_570, 2, "64.57"],
    [64_571, 2, "64.58"],
    [64_571, 3, "64.571"],
    [5, 3, "0.005"],
    [0.2, 3, "0.001"],
    [-5, 3, "0.000"],
    [Number.NaN, 0, "0"],
    [Number.POSITIVE_INFINITY, 0, "999999999999999"],
    [Number.POSITIVE_INFINITY, 3, "999999999999.999"],
  ])("writes %d thousandths with %d digits as %s", (thousandths, digits, text) => {
    expect(sfSeconds(digits)(thousandths)).toBe(text);
  });

  it("is read back as no less, and as less than a unit more", () => {
    const digits = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(fc.nat(2 ** 40), digits, (thousandths, digits) => {
        const read = Math.round((parseItem(sfSeconds(digits)(thousandths))[0] as number) * 1000);
        expect(read).toBeGreaterThanOrEqual(thousandths);
        expect(read - thousandths).toBeLessThan(10 ** (3 - digits));
      }),
    );
  });
});

describe("tokenOf", () => {
  it("leaves what may stand in a header's name, and never makes two texts one", () => {
    expect(tokenOf("input-tokens_2.x")).toBe("input-tokens_2.x");
    expect(tokenOf("per minute: 5%\r\n")).toBe("per%20minute%3A%205%25%0D%0A");
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(isToken(tokenOf(text))).toBe(true);
        expect(decodeURIComponent(tokenOf(text))).toBe(text);
      }),
    );
  });
});

it("makes text printable", () => {
  expect(printable("a\r\nb: caf\u00e9 %")).toBe("a%0D%0Ab: caf%C3%A9 %");
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
