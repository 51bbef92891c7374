import { describe, expect, it } from "vitest";
import { headerTemplate, isTemplate, tellsTime } from "./header-template.ts";
import type { RateStatus } from "./rate-status.ts";

const T0 = 1_700_006_400_000;
const status: RateStatus = {
  policy: "default",
  key: "ip:192.0.2.1",
  limit: 40,
  window: 20_001,
  remaining: 8,
  retryAfter: 0,
  resetAfter: 15_500,
  allowed: true,
};

const write = (text: string, given: Partial<RateStatus> = {}): string =>
  headerTemplate(text, "delta", 1)({ ...status, ...given }, T0);

describe("headerTemplate", () => {
  it.each([
    ["{limit}", "40"],
    ["{remaining}", "8"],
    ["{used}", "32"],
    ["{window}", "21"],
    ["{policy}", "default"],
    ["{key}", "192.0.2.1"],
    ["{reset}", "15.5"],
    ["{used}/{limit}", "32/40"],
    ["{limit};w={window}", "40;w=21"],
    ["a {limit} b {limit} c", "a 40 b 40 c"],
    ["{limit}{remaining}", "408"],
    ["true", "true"],
  ])("writes %s as %s", (text, written) => {
    expect(write(text)).toBe(written);
  });

  it("tells what was used as what does not remain", () => {
    for (const [remaining, used] of [
      [0, "40"],
      [40, "0"],
      [41, "0"],
      [-3, "40"],
      [7.5, "33"],
      [Number.NaN, "0"],
    ] as const) {
      expect(write("{used}", { remaining })).toBe(used);
    }
  });

  it("writes no name that breaks out of its header", () => {
    expect(write("{policy}", { policy: "a\r\nSet-Cookie: b" })).toBe("a%0D%0ASet-Cookie: b");
    expect(write("{policy}", { policy: 'a "b"' })).toBe('a "b"');
    expect(write('"{policy}";q={limit}', { policy: 'a "b" \\' })).toBe('"a \\"b\\" \\\\";q=40');
    expect(write('"{policy}"', { policy: "caf\u00e9" })).toBe('"caf%C3%A9"');
  });

  it("tells a key without its namespace, and a user's own as it is", () => {
    const keys = {
      "user:42": "42",
      "ip:2001:db8::": "2001:db8::",
      "text:ip:x": "ip:x",
      "tenant:7": "tenant:7",
      everyone: "everyone",
      "#digest": "#digest",
    };
    for (const [key, told] of Object.entries(keys)) expect(write("{key}", { key })).toBe(told);
    expect(write("{key}", { key: undefined })).toBe("");
  });
});

describe("isTemplate", () => {
  it.each([
    ["{limit}", true],
    ["a {used} of {limit}", true],
    ["plain", true],
    ["", false],
    ["{limits}", false],
    ["{limit", false],
    ["{limit} {", false],
    ["{}", false],
    ["{{limit}}", false],
    ["{limit}\n", false],
    ["caf\u00e9", false],
  ])("%j: %s", (text, fits) => {
    expect(isTemplate(text)).toBe(fits);
  });
});

it("knows which templates tell a time", () => {
  expect(["{reset}", "in {reset} s", "{limit}", "reset"].map(tellsTime)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
