import { describe, expect, it } from "vitest";
import { rateHeaders } from "../../../test/http-scenarios/rate-headers.ts";
import { ConfigError } from "../../errors.ts";
import { checkHttpOptions } from "../options/http-options.ts";
import { exposedHeaderNames } from "./exposed-headers.ts";
import { type HeaderChoice, retryAfterRule } from "./header-choice.ts";
import { type DialectName, headerDialects } from "./header-dialects.ts";

const flat = { limit: 1, window: "1m" };
const check = (headers: unknown, options: object = flat) =>
  checkHttpOptions({ ...options, headers });

/** Returns the message without the list of all names. */
function problemOf(headers: unknown, options: object = flat): string {
  try {
    check(headers, options);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.replace(/"legacy", "draft-6".*"slack"/, "NAMES");
  }
  return "";
}

const policies = (...names: string[]) => ({ policies: names.map((name) => ({ ...flat, name })) });

describe("the option headers", () => {
  const own = { prefix: "X-Acme-", limit: "Limit", remaining: "Remaining" };

  it.each<[unknown]>([
    ["legacy"],
    ["github"],
    [own],
    [["legacy", own]],
    [["legacy", "draft-8", "x", "shopify", own]],
    [["legacy", "legacy"]],
    [["legacy", "github"]],
    [["legacy", { limit: "x-ratelimit-limit" }]],
    [["shopify", { retryAfter: { decimals: 1 } }]],
    [{ retryAfter: false }],
    [false],
    [undefined],
  ])("takes %j", (headers) => {
    expect(problemOf(headers)).toBe("");
  });

  it("takes every ready-made dialect, by its name and as data", () => {
    for (const [name, dialect] of Object.entries(headerDialects)) {
      expect(problemOf(name)).toBe("");
      expect(problemOf(dialect)).toBe("");
    }
  });

  it.each<[unknown, string]>([
    [
      "nope",
      'headers: expected one of NAMES, a dialect, a list of them, or false, received "nope"',
    ],
    [null, "headers: expected one of NAMES, a dialect, a list of them, or false, received null"],
    [
      [],
      "headers: expected one of NAMES, a dialect, a list of them, or false, received an array of 0",
    ],
    [["legacy", 5], "headers[1]: expected one of NAMES, or a dialect, received 5"],
    [["legacy", []], "headers[1]: expected one of NAMES, or a dialect, received an array of 0"],
    [{}, "headers: expected at least one header, or retryAfter, received an object"],
    [{ prefix: "X-" }, "headers: expected at least one header, or retryAfter, received an object"],
    [
      { prefix: "X: y", limit: "L" },
      'headers.prefix: expected the beginning of a header\'s name, which may hold {policy}, received "X: y"',
    ],
    [
      { limit: "a b" },
      'headers.limit: expected the name of a header, which may hold {policy}, or an object with one, received "a b"',
    ],
    [
      { fields: [{ name: "a\r\nb", value: "1" }] },
      'headers.fields[0].name: expected the name of a header, which may hold {policy}, received "a\\r\\nb"',
    ],
    [
      ["legacy", { limit: { nam: "x", name: "X" } }],
      'headers[1].limit.nam: expected a known option (did you mean name?), received "x"',
    ],
    [
      { limit: "L", remainning: "R" },
      'headers.remainning: expected a known option (did you mean remaining?), received "R"',
    ],
    [
      { limit: { name: "L", as: "epoch" } },
      'headers.limit.as: expected a known option, received "epoch"',
    ],
    [
      { reset: { name: "R", as: "iso" } },
      'headers.reset.as: expected one of "epoch", "delta", "duration", "rfc3339", "http-date", received "iso"',
    ],
    [
      { reset: { name: "R", decimals: 4 } },
      "headers.reset.decimals: expected a whole number from 0 to 3, received 4",
    ],
    [
      { reset: { name: "R", as: "http-date", decimals: 1 } },
      "headers.reset.decimals: expected 0 with a date of HTTP, received 1",
    ],
    [
      { fields: [{ name: "F", value: "{limits}" }] },
      'headers.fields[0].value: expected printable ASCII with any of {limit}, {remaining}, {used}, {window}, {policy}, {key}, {reset}, received "{limits}"',
    ],
    [
      { fields: [{ name: "F" }] },
      "headers.fields[0].value: expected printable ASCII with any of {limit}, {remaining}, {used}, {window}, {policy}, {key}, {reset}, received undefined",
    ],
    [
      { fields: [{ name: "F", value: "{limit}", decimals: 1 }] },
      "headers.fields[0].decimals: expected this only with {reset} in the value, received 1",
    ],
    [
      { limit: { name: "L-{policy}", of: "binding" } },
      'headers.limit.of: expected "each" with {policy} in the name, received "binding"',
    ],
    [
      { prefix: "Retry-", reset: { name: "After", as: "delta" } },
      'headers.reset.name: expected a name that means nothing else to HTTP than Retry-After does, received "After"',
    ],
    [
      { retryAfter: true },
      "headers.retryAfter: expected false, or an object with the number of decimals, received true",
    ],
    [
      { retryAfter: { decimals: 9 } },
      "headers.retryAfter.decimals: expected a whole number from 0 to 3, received 9",
    ],
  ])("refuses %j", (headers, message) => {
    expect(problemOf(headers)).toBe(message);
  });

  it.each<[headers: unknown, options: object, received: string]>([
    [["draft-6", "draft-8"], flat, "draft-6 and draft-8, which give RateLimit-Policy two meanings"],
    [
      ["draft-6", "dockerHub"],
      flat,
      "draft-6 and dockerHub, which give ratelimit-limit two meanings",
    ],
    [["legacy", "reddit"], flat, "legacy and reddit, which give X-Ratelimit-Reset two meanings"],
    [
      ["legacy", "github"],
      { ...flat, reset: "delta" },
      "legacy and github, which give x-ratelimit-reset two meanings",
    ],
    [
      ["legacy", { used: "x-ratelimit-limit" }],
      flat,
      "legacy and headers[1], which give x-ratelimit-limit two meanings",
    ],
    [{ limit: "A", remaining: "a" }, flat, "headers, which gives a two meanings"],
    [["stripe", "shopify"], flat, "stripe and shopify, which give Retry-After two meanings"],
    [
      ["legacy", { remaining: "X-RateLimit-{policy}" }],
      policies("Limit"),
      "legacy and headers[1], which give X-RateLimit-Limit two meanings",
    ],
  ])("refuses %j, which cannot share an answer", (headers, options, received) => {
    expect(problemOf(headers, options)).toBe(
      `headers: expected styles that can share an answer, received ${received}`,
    );
  });

  it("refuses policies that no header can be named after, by their names", () => {
    const expected = "such as of letters, digits and -, received a policy named";
    expect(problemOf("openai", policies("requests", "per minute"))).toBe(
      `headers: expected policies that x-ratelimit-limit-{policy} can be named after, ${expected} "per minute"`,
    );
    expect(problemOf(["anthropic"], { ...flat, name: "100%" })).toBe(
      `headers[0]: expected policies that anthropic-ratelimit-{policy}-limit can be named after, ${expected} "100%"`,
    );
    expect(problemOf("openai", policies("Day", "day"))).toBe(
      'headers: expected policies whose headers have names of their own, upper and lower case aside, received "Day" and "day", which both give x-ratelimit-limit-day',
    );
    expect(problemOf("github", policies("per minute", "Day", "day"))).toBe("");
  });

  it("is read once, so that what was checked is what is written", () => {
    let reads = 0;
    const headers = {
      get limit() {
        return reads++ === 0 ? "Fine" : "not\r\nfine";
      },
    };
    expect(check(headers)).toMatchObject({ headers: { limit: "Fine" } });
  });
});

describe("exposedHeaderNames", () => {
  it("names what can be written, by policy too, and Retry-After", () => {
    expect(exposedHeaderNames(["openai", "stripe"], ["requests", "tokens"])).toEqual([
      "x-ratelimit-limit-requests",
      "x-ratelimit-limit-tokens",
      "x-ratelimit-remaining-requests",
      "x-ratelimit-remaining-tokens",
      "x-ratelimit-reset-requests",
      "x-ratelimit-reset-tokens",
      "Stripe-Rate-Limited-Reason",
      "Retry-After",
    ]);
  });

  it("holds for every dialect whatever is written, allowed or refused", () => {
    const status = { policy: "a", limit: 9, window: 1, remaining: 0, retryAfter: 5, resetAfter: 5 };
    for (const name of Object.keys(headerDialects) as DialectName[]) {
      for (const allowed of [true, false]) {
        const pairs = rateHeaders([name], { reset: "epoch" })([{ ...status, allowed }], 0, 0);
        expect(exposedHeaderNames([name], ["a"])).toEqual(
          expect.arrayContaining(pairs.map(([written]) => written)),
        );
      }
    }
  });
});

it("takes the rule of Retry-After from the dialect that has one", () => {
  const rule = (...choices: HeaderChoice[]) => retryAfterRule(choices);
  expect(rule("legacy", "github")).toBeUndefined();
  expect(rule("legacy", "stripe")).toBe(false);
  expect(rule("shopify", "legacy")).toEqual({ decimals: 1 });
});
