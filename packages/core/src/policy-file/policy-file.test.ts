import { describe, expect, it } from "vitest";
import { httpPolicyShape, httpSharedShape } from "../http/options/http-schemas.ts";
import { ruleShape } from "../http/options/rule-options.ts";
import { sharedShape } from "../options/limiter-options.ts";
import { policyShape } from "../options/policy-options.ts";
import { PolicyFileError, parsePolicies, policiesFrom } from "./index.ts";
import { optionNames } from "./schema/policy-file.ts";

const yaml = `headers: [draft-8, gihub]
policies:
  - name: a
    limit: -1
    window: 1 minute
    max: 5
  - name: b
    window: 1m
    limit: { by: method, of: { GET: x }, otherwise: 3 }
    key: [ip, { ip: { ipv6Prefix: 20 } }, { heder: x-tenant }]
    nearLimit: 0.5
    ban: { after: 0 }
limit: 7
`;

/** Line, column and message, as reported. */
const told = [
  `p.yaml:1:20: headers[1]: expected "legacy", "draft-6", "draft-7", "draft-8", "github"`,
  "p.yaml:4:12: policies[0].limit: expected a whole number from 0 to 2^53 - 1, received -1",
  "p.yaml:5:13: policies[0].window: expected whole milliseconds from 1 to",
  "p.yaml:6:5: policies[0].max: expected a known option (did you mean limit?), received 5",
  'p.yaml:9:37: policies[1].limit.of.GET: expected a whole number from 0 to 2^53 - 1, received "x"',
  "p.yaml:10:35: policies[1].key[1].ip.ipv6Prefix: expected a whole number from 32 to 128, received 20",
  "p.yaml:10:45: policies[1].key[2].heder: expected a known option (did you mean header?)",
  "p.yaml:11:5: policies[1].nearLimit: expected a known option here (it stands beside policies)",
  "p.yaml:12:19: policies[1].ban.after: expected a whole number of at least 1, received 0",
  "p.yaml:12:10: policies[1].ban.for: expected whole milliseconds from 1",
  "p.yaml:13:1: limit: expected a known option here (it stands in each of policies), received 7",
];

const problemsOf = async (text: string, options = {}): Promise<string[]> => {
  const error = await parsePolicies(text, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PolicyFileError);
  return (error as Error).message.split("\n");
};

describe("a policy file", () => {
  it("has every option that code has, and only these", () => {
    const hooks = Object.keys(sharedShape).filter((name) => /^on(?!StoreError)|^store$/.test(name));
    const policy = Object.keys({ ...policyShape, ...httpPolicyShape });
    const shared = Object.keys({ ...sharedShape, ...httpSharedShape });
    const known = shared.filter((name) => !hooks.includes(name));
    const remarks = ["$schema", "note", "version"];
    expect([...optionNames.policies!].sort()).toEqual([...policy, "note"].sort());
    expect(new Set(optionNames[""])).toEqual(
      new Set([...policy, ...known, ...remarks, "policies", "rules", "matching"]),
    );
    expect(new Set(optionNames.rules)).toEqual(
      new Set([...policy, ...Object.keys(ruleShape), "note", "policies", "unlimited"]),
    );
  });

  it("is refused with all that is wrong, each with its place", async () => {
    const lines = await problemsOf(yaml, { format: "yaml", name: "p.yaml" });
    expect(lines.toSorted()).toEqual(told.toSorted().map((text) => expect.stringContaining(text)));
  });

  it("tells the same places of JSON, also behind marks, escapes and blanks", async () => {
    const text =
      '\uFEFF{\n  "limit": 5,\r\n\t"window" :\n "1m", "b\\u0061n": {"for": [1]}, "x": {}}';
    expect(await problemsOf(text)).toEqual([
      expect.stringContaining("policies:4:28: ban.for: expected whole milliseconds"),
      expect.stringContaining("policies:4:34: x: expected a known option"),
    ]);
  });

  it.each([
    ["", "1:1: expected a JSON value, received an empty text"],
    ['{"limit": 1,}', "1:13: expected a name in double quotes (no comma"],
    ['{"limit": 01}', '1:12: expected "," or "}", received "1"'],
    ['{"limit"\n: tru}', '2:3: expected a JSON value, received "t"'],
    ["{'limit': 1}", `1:2: expected a name in double quotes, received "'"`],
    ['{"a": [1 2]}', '1:10: expected "," or "]", received "2"'],
    ['{"a": "x\ny"}', '1:7: expected a JSON value, received "\\""'],
    ["{} {}", '1:4: expected the end of the text, received "{"'],
    ['{"limit": 1,\n "limit": 2}', '2:2: expected each name once, received "limit" again'],
    [`${"[".repeat(200)}`, "1:102: expected at most 100 levels"],
    ["null", 'expected an object of options, such as { limit: 100, window: "1m" }, received null'],
  ])("in JSON is refused where it is none: %j", async (text, message) => {
    expect(await problemsOf(text)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ["limit: 1\nlimit: 2\n", '2:1: expected each name once, received "limit" again'],
    ["limit: [1\n", "2:1: expected YAML"],
    ["limit: *none\n", "1:1: expected YAML, received ReferenceError"],
    [
      "limit: !secret 1\nwindow: 1m\n",
      "1:8: expected YAML, received a string of which its reader says: Unresolved tag",
    ],
    ["", "1:1: expected policies in YAML, received an empty text"],
  ])("in YAML is refused where it is none: %j", async (text, message) => {
    expect(await problemsOf(text, { format: "yaml" })).toEqual([expect.stringContaining(message)]);
  });

  it("in YAML may say things once and use them again", async () => {
    const text =
      "policies:\n  - &common { name: a, limit: 1, window: 1m }\n  - { name: b, limit: 2, window: 1m, segments: &s 2 }\n  - { name: c, limit: 3, window: 1m, segments: *s }\n";
    expect(await parsePolicies(text, { format: "yaml" })).toMatchObject({
      policies: [{}, { segments: 2 }, { segments: 2 }],
    });
  });

  it.each<[object, string]>([
    [{ limit: 1, window: "1m", burst: 2 }, "burst: expected this option only with algorithm"],
    [{ limit: 1, window: "day" }, "window: expected a duration, or algorithm"],
    [{ limit: 7, window: 7, segments: 2 }, "segments: expected"],
    [
      { limit: 1, window: "1m", header: 1 },
      "header: expected a known option (did you mean headers?)",
    ],
    [{ limit: 1, window: "1m", key: { header: "a b" } }, "key: expected"],
    [{ limit: 1, window: "1m", allow: ["1.2.3.4/99"] }, "allow[0]: expected"],
    ...[200.5, 199, 204, 205, 304, 600].map((status): [object, string] => [
      { limit: 1, window: "1m", action: { answer: { status, body: "x" } } },
      "action.answer.status: expected",
    ]),
    ...[
      ["X A", "b"],
      ["", "b"],
      ["x-a", "b\r\nc: d"],
      ["x-a", "→"],
    ].map(([name, value]): [object, string] => [
      { limit: 1, window: "1m", action: { answer: { headers: { [name!]: value } } } },
      `action.answer.headers.${name}: expected a header field and its text`,
    ]),
    [
      { limit: 1, window: "1m", count: "failed", refund: "failed" },
      "expected one of count and refund",
    ],
    [{ limit: 1, window: "1m", tiers: {} }, "tiers: expected an object of at least one tier"],
    [{ policies: [] }, "policies: expected at least 1 of them, received an array of 0"],
    [
      {
        policies: [
          { name: "a", limit: 1, window: 1 },
          { name: "a", limit: 1, window: 1 },
        ],
      },
      'policies[1].name: expected a name no other policy has, received "a"',
    ],
    [{ rules: [{ name: "a", limit: 1, window: 1 }] }, 'matching: expected one of "first", "all"'],
    [
      { matching: "first", rules: [{ name: "a", match: "/a/*/b*c", limit: 1, window: 1 }] },
      "rules[0].match: expected",
    ],
    [
      { matching: "all", rules: [{ name: "a", limit: 1, window: 1, replaces: ["b"] }] },
      "rules[0].replaces[0]: expected the name of a rule: a",
    ],
    [{ matching: "all", rules: [{ name: "a" }] }, "rules[0]: expected a rule: a name, and"],
    [{ matching: "all", rules: [{ name: "a", limit: 3 }] }, "rules[0].window: expected"],
    [
      { matching: "all", rules: [{ name: "a", policies: [{ limit: 3, window: 1 }] }] },
      "rules[0].policies[0].name: expected a string of 1 to 128",
    ],
  ])("is refused for what contradicts itself: %j", (data, message) => {
    expect(() => policiesFrom(data)).toThrow(message);
  });

  it("joins the first of a list of keys that is found", async () => {
    const text =
      '{"limit": 1, "window": "1m", "key": {"join": ["route", ["user", {"use": "team"}]]}}';
    const { key } = (await parsePolicies(text, {
      functions: { team: () => "blue" },
    })) as unknown as {
      readonly key: { readonly parts: readonly { readonly parts: readonly unknown[] }[] };
    };
    expect(key.parts.map(({ parts }) => parts?.length)).toEqual([undefined, 2]);
  });

  it("is refused for functions that nobody gave, all at once and with their places", async () => {
    const text =
      "limit: 1\nwindow: 1m\ncost: { use: tokens }\nkey: [ip, { join: [user, { use: model }] }]\nskip: { use: toString }\n";
    const options = { format: "yaml", functions: { cost: () => 1 } };
    expect(await problemsOf(text, options)).toEqual([
      'policies:3:14: cost.use: expected the name of a function that was given, as functions: { tokens: (req) => … }: "cost", received "tokens"',
      expect.stringContaining("policies:4:33: key[1].join[1].use: expected the name"),
      expect.stringContaining("policies:5:14: skip.use: expected the name"),
    ]);
  });

  it("says how to give a function that nobody gave, and which one may be meant", async () => {
    const flat = { limit: 1, window: "1m" };
    expect(() => policiesFrom({ ...flat, skip: { use: "isStaff" } })).toThrow(
      'skip.use: expected a function that was given (none was): functions: { isStaff: (req) => … }, received "isStaff"',
    );
    expect(() => policiesFrom({ ...flat, skip: { use: "is-staff" } })).toThrow(
      'functions: { "is-staff": (req) => … }',
    );
    const functions = { isStaff: () => true };
    expect(() => policiesFrom({ ...flat, skip: { use: "isStaf" } }, { functions })).toThrow(
      '"isStaff" (did you mean "isStaff"?), received "isStaf"',
    );
  });

  it("is refused in the order of its lines", async () => {
    const text =
      "limt: 5\nlimit: -1\nwindow: soon\nburst: 0\nban: { fro: 1m, for: 0 }\nstatus: 9\nwindw: 5\n";
    const lines = await problemsOf(text, { format: "yaml" });
    const places = lines.map((line) => /^policies:(\d+):(\d+)/.exec(line)!.slice(1).map(Number));
    expect(places.map(([line]) => line)).toEqual([1, 2, 3, 4, 5, 5, 6, 7]);
    expect(places[4]![1]).toBeLessThan(places[5]![1]!);
  });

  it.each<[object, string]>([
    [{ headers: "gihub" }, "github"],
    [{ headers: ["draft-8", "gihub"] }, "github"],
    [{ action: "dely" }, "delay"],
    [{ algorithm: "slidng-window" }, "sliding-window"],
    [{ algorithm: "Token-Bucket" }, "token-bucket"],
    [{ key: "apikey" }, "apiKey"],
    [{ key: ["ip", "uesr"] }, "user"],
    [{ body: "problm" }, "problem"],
    [{ onStoreError: "close" }, "closed"],
  ])("tells which name was meant: %j", (data, meant) => {
    expect(() => policiesFrom({ limit: 1, window: "1m", ...data })).toThrow(
      `(did you mean "${meant}"?)`,
    );
  });

  it("without HTTP has no options that need a request", async () => {
    expect(policiesFrom({ limit: 1, window: "1m", note: "x" }, { http: false })).toEqual({
      limit: 1,
      window: "1m",
    });
    expect(() => policiesFrom({ limit: 1, window: "1m", key: "ip" }, { http: false })).toThrow(
      "key: expected a known option",
    );
  });

  it("is not touched: what comes of it is a frozen copy", () => {
    const data = {
      limit: 1,
      window: "1m",
      tiers: { pro: { limit: 2 } },
      allow: [{ cidr: ["::1"] }],
    };
    const options = policiesFrom(data) as unknown as typeof data;
    expect(Object.isFrozen(data.tiers)).toBe(false);
    for (const part of [
      options,
      options.tiers,
      options.tiers.pro,
      options.allow,
      options.allow[0],
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
