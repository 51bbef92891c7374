import { describe, expect, it } from "vitest";
import { checkHttpOptions } from "../../src/http/options/http-options.ts";
import { createLimiter } from "../../src/index.ts";

const one = { limit: 1, window: "1m" } as const;
const rule = { name: "a", ...one };

/** Returns the problems of options and their paths. */
function problems(options: object): string[] {
  try {
    checkHttpOptions(options);
    return [];
  } catch (error) {
    return (error as { issues: { path: string; expected: string }[] }).issues.map(
      ({ path, expected }) => `${path}: ${expected}`,
    );
  }
}

const ruled = (...rules: object[]) => ({ matching: "all", rules });

describe("rules", () => {
  it.each<[string, object, string[]]>([
    ["need matching", { rules: [rule] }, ['matching: one of "first", "all"']],
    ["are not none", { rules: [], matching: "all" }, ["rules: at least 1 of them"]],
    ["are named", ruled(one), ["rules[0].name: a string of 1 to 128 printable ASCII characters"]],
    [
      "are checked as what they look like",
      ruled(rule, { name: "b", policies: [{ name: "c", ...one, limit: -1 }] }, { name: "d" }),
      [
        "rules[1].policies[0].limit: a whole number from 0 to 2^53 - 1, or a function",
        "rules[2].limit: a whole number from 0 to 2^53 - 1, or a function",
        expect.stringMatching(/^rules\[2\]\.window: /) as never,
      ],
    ],
    [
      "have names of their own",
      ruled(rule, { ...rule }),
      ["rules[1].name: a name no other policy has"],
    ],
    [
      "have names of their own, also where their policies have others",
      ruled(rule, { name: "a", unlimited: true }),
      ["rules[1].name: a name no other rule has"],
    ],
    [
      "have policies of which each has a name",
      ruled(rule, { name: "b", policies: [{ name: "a", ...one }] }),
      ["rules[1].policies[0].name: a name no other policy has"],
    ],
    [
      "that are unlimited take nothing of a policy",
      ruled({ name: "a", unlimited: true, limit: 1 }),
      ["rules[0].limit: a known option: name, match, replaces, policies or unlimited"],
    ],
    [
      "are unlimited or they are not",
      ruled({ name: "a", unlimited: false }),
      ["rules[0].unlimited: true, or nothing"],
    ],
    [
      "have policies or are none",
      ruled({ name: "a", policies: [{ name: "b", ...one }], unlimited: true }),
      ["rules[0].policies: nothing beside unlimited"],
    ],
    [
      "replace others that exist",
      ruled({ ...rule, replaces: ["a", "z"] }, { name: "b", unlimited: true }),
      [
        "rules[0].replaces[0]: the name of another rule",
        "rules[0].replaces[1]: the name of a rule: a, b",
      ],
    ],
    [
      "replace nothing where the first counts",
      {
        matching: "first",
        rules: [
          { ...rule, replaces: ["b"] },
          { ...rule, name: "b" },
        ],
      },
      ['rules[0].replaces: this option only with matching "all"'],
    ],
    [
      "do not replace each other in a circle",
      ruled(
        { ...rule, replaces: ["b"] },
        { ...rule, name: "b", replaces: ["c"] },
        { ...rule, name: "c", replaces: ["a"] },
      ),
      ["rules[0].replaces: rules that do not replace each other in a circle"],
    ],
    [
      "stand alone",
      { ...ruled(rule), policies: [rule] },
      [
        "policies: nothing: only one of a policy given flat, policies, rules or a source (rules and sources are for HTTP only)",
      ],
    ],
    [
      "say where an option belongs",
      { ...ruled(rule), limit: 1 },
      ["limit: a known option here (it stands in each of rules)"],
    ],
    [
      "have matches that can be",
      ruled({ ...rule, match: "nowhere" }),
      [expect.stringMatching(/^rules\[0\]\.match: /) as never],
    ],
  ])("%s", (_, options, expected) => {
    expect(problems(options)).toEqual(expected);
  });

  it("need requests", () => {
    expect(() => createLimiter(ruled(rule) as never)).toThrow(
      /^rules: expected nothing: only over HTTP/,
    );
  });

  it("take everything that is undefined for left out", () => {
    const left = { policies: undefined, source: undefined };
    const given = { ...rule, match: undefined, replaces: undefined, policies: undefined };
    expect(problems({ ...ruled(given), ...left })).toEqual([]);
    expect(problems({ ...one, ...left, rules: undefined })).toEqual([]);
  });
});

describe("match", () => {
  it("stands in rules only", () => {
    expect(problems({ ...one, match: "/" })).toEqual([
      expect.stringMatching(/^match: a known option/),
    ]);
  });
});

describe("action", () => {
  it.each<[object, string[]]>([
    [{ action: "challenge" }, ['action: "block", "log", "delay" or a function']],
    [{ maxDelay: "1s" }, ['maxDelay: this option only with action "delay"']],
    [{ action: "log", maxDelay: "1s" }, ['maxDelay: this option only with action "delay"']],
    [
      { action: "delay", maxDelay: "25d" },
      [expect.stringMatching(/^maxDelay: whole milliseconds from 1 to 2147483647/) as never],
    ],
    [
      { action: "delay", countRefused: true },
      ['countRefused: this option only without action "delay"'],
    ],
    [{ action: "delay", ban: { for: "1m" } }, ['ban: this option only without action "delay"']],
    [{ action: "delay", maxDelay: 1 }, []],
  ])("%o", (options, expected) => {
    expect(problems({ ...one, ...options })).toEqual(expected);
    const named = expected.map((text) =>
      typeof text === "string" ? `rules[0].${text}` : expect.any(String),
    );
    expect(problems(ruled({ ...rule, ...options }))).toEqual(named);
  });
});
