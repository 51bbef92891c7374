import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard } from "../http/guard.ts";
import { parsePolicies, policiesFrom, readPolicyFile } from "./index.ts";
import { noRequests } from "./no-requests.ts";

const base = { limit: 5, window: "1m" };
const rule = { name: "a", ...base };

async function messageOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const inYaml = (text: string) => (): unknown => parsePolicies(text, { format: "yaml" });
const inJson = (text: string) => (): unknown => parsePolicies(text);

describe("what is read in place of policies", () => {
  const example = 'an object of options, such as { limit: 100, window: "1m" }';
  const yaml = 'a JSON value (YAML is read with format: "yaml", or of a file that ends in .yaml';

  it.each<[string, () => unknown, string]>([
    ["an empty text of YAML", inYaml(""), "expected policies in YAML, received an empty text"],
    ["a YAML comment", inYaml("# soon\n"), "policies in YAML, received nothing but comments"],
    ["an empty text of JSON", inJson("\n"), "expected a JSON value, received an empty text"],
    ["comments in JSON", inJson('{\n// a\n"limit": 5}'), "(JSON has no comments; the option note"],
    ["a comma at the end", inJson('{"limit": 5,}'), "(no comma stands after the last one)"],
    ["a list", inYaml("- limit: 5\n"), `${example} (a list of them stands under policies, or`],
    ["a word", inYaml("hello\n"), `${example}, received "hello"`],
    ["two documents", inYaml("limit: 5\n---\nlimit: 6\n"), "2:1: expected one document"],
    ["tabs", inYaml("policies:\n\t- name: a\n"), "Tabs are not allowed as indentation"],
    ["names twice", inYaml("limit: 5\nlimit: 6\n"), 'expected each name once, received "limit"'],
    ["YAML as JSON", inJson("limit: 5\n"), yaml],
    ["a YAML list as JSON", inJson("- limit: 5\n"), yaml],
    ["a path", inJson("./policies.yaml"), "a JSON value (readPolicyFile reads a file), received"],
    ["a path as YAML", inYaml("p.json"), `${example} (readPolicyFile reads a file)`],
    ["bytes", () => parsePolicies(Buffer.from("{}") as never), '(of bytes: buffer.toString("utf8"'],
    [
      "data",
      () => parsePolicies({} as never),
      "a string (policiesFrom takes data), received an ob",
    ],
    ["nothing", () => parsePolicies(undefined as never), "text: expected a string, received undef"],
    [
      "a string as data",
      () => policiesFrom('{"limit":5}'),
      `${example} (parsePolicies reads a string)`,
    ],
    ["bytes as data", () => policiesFrom(Buffer.from("{}")), `${example} (parsePolicies reads a`],
    ["a promise", () => policiesFrom(Promise.resolve({})), "received a promise: await it first"],
    ["nothing as data", () => policiesFrom(undefined), `${example}, received undefined`],
    [
      "no file",
      () => readPolicyFile("/none/p.yaml"),
      "a file that can be read, received Error: ENO",
    ],
    [
      "the name of a preset",
      () => readPolicyFile("github-rest"),
      "(of a preset, the path of @spillway/core/presets/github-rest.json)",
    ],
    ["a string as a path", () => readPolicyFile('{"limit": 5}'), "(parsePolicies reads a string)"],
  ])("is told as what it is: %s", async (_, attempt, told) => {
    expect(await messageOf(attempt)).toContain(told);
  });

  it.each(["toml", "conf", "js"])("is told as what it is: a file of .%s", async (ending) => {
    const folder = await mkdtemp(join(tmpdir(), "spillway-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, `policies.${ending}`);
    await writeFile(path, 'limit = 5\nwindow = "1m"\n');
    expect(await messageOf(() => readPolicyFile(path))).toContain(`1:1: expected ${yaml}`);
  });
});

/** Returns the messages for the options in code, with the path of each part and without the words about functions. */
async function hintsInCode(options: object): Promise<string[]> {
  const message = await messageOf(() => createGuard(noRequests, options as never));
  return (
    message.match(
      / \((?:did you mean|a string needs|"m" is|in a list|how many|of no).*?\)(?=,)/g,
    ) ?? []
  );
}

describe("a mistake in data", () => {
  it.each<[string, object]>([
    ["max and windowMs", { max: 5, windowMs: 60_000 }],
    ["points and duration", { points: 5, duration: 60 }],
    ["timeWindow", { limit: 5, timeWindow: "1 minute" }],
    ["keyGenerator", { ...base, keyGenerator: "ip" }],
    ["statusCode", { ...base, statusCode: 429 }],
    ["standardHeaders", { ...base, standardHeaders: true }],
    ["skipFailedRequests", { ...base, skipFailedRequests: true }],
    ["blockDuration", { ...base, blockDuration: 60 }],
    ["whitelist", { ...base, whitelist: ["1.2.3.4"] }],
    ["delayMs", { ...base, delayMs: 5 }],
    ["another case", { Limit: 5, Window: "1m" }],
    ["timezone", { ...base, timezone: "UTC" }],
    ["a window without a unit", { ...base, window: "60" }],
    ["a window in words", { ...base, window: "1 minute" }],
    ["a window with a capital", { ...base, window: "1M" }],
    ["a day with a capital", { ...base, window: "Day" }],
    ["a window of a tier", { ...base, tiers: { pro: { window: "1 hour" } } }],
    ["no limit", { ...base, limit: Infinity }],
    ["a ban without a unit", { ...base, ban: { for: "60" } }],
    ["a ban in words", { ...base, ban: { for: "1 hour" } }],
    ["a ban by duration", { ...base, ban: { duration: 60 } }],
    ["max of a tier", { ...base, tiers: { pro: { max: 5 } } }],
    ["max of a rule", { matching: "first", rules: [{ name: "a", max: 5, window: "1m" }] }],
    ["token_bucket", { ...base, algorithm: "token_bucket" }],
    ["gcra", { ...base, algorithm: "gcra" }],
    ["sliding window", { ...base, algorithm: "sliding window" }],
    ["draft8", { ...base, headers: "draft8" }],
    ["a misspelt dialect", { ...base, headers: { prefx: "X-", limit: "L" } }],
    ["nearLimit in per cent", { ...base, nearLimit: 80 }],
    ["trustProxy: true", { ...base, trustProxy: true }],
    ["one trusted proxy", { ...base, trustProxy: "loopback" }],
    ["one status", { ...base, refund: 401 }],
    ["failures", { ...base, count: "failures" }],
    ["success", { ...base, resetOn: "success" }],
    ["maxDelay in words", { ...base, maxDelay: "30 seconds", action: "delay" }],
    ["one network", { ...base, allow: "10.0.0.0/8" }],
  ])("has the hints that it has in code: %s", async (_, options) => {
    const hints = await hintsInCode(options);
    const told = await messageOf(() => policiesFrom(options));
    expect(hints).not.toEqual([]);
    expect(told.match(/received/g)!.length).toBe(hints.length);
    for (const hint of hints) expect(told).toContain(hint);
  });

  it.each<[object, string]>([
    [{ ban: "1h" }, 'ban: expected an object such as { for: "15m" }'],
    [{ ban: { for: "1h", max: 5 } }, "ban.max: expected a known option: after, within, for"],
    [{ tiers: { pro: 5 } }, "tiers.pro: expected an object such as { limit: 1000 }"],
    [{ tiers: [] }, "tiers: expected an object of at least one tier, by their names"],
    [{ status: 200 }, "status: expected an HTTP status from 400 to 599"],
    [{ allow: ["10.0.0.0/40"] }, "allow[0]: expected an address, a network such as 10.0.0.0/8"],
  ])("is told as it is in code: %j", async (options, told) => {
    const given = { ...base, ...options };
    expect(await messageOf(() => policiesFrom(given))).toContain(told);
    expect(await messageOf(() => createGuard(noRequests, given as never))).toContain(told);
  });

  const unquoted = "(a number stands without quotes: 5)";

  it.each<[object, string]>([
    [{ limit: "5" }, unquoted],
    [{ cost: "5" }, unquoted],
    [{ burst: "5" }, unquoted],
    [{ segments: "5" }, unquoted],
    [{ maxHeld: "5" }, unquoted],
    [{ unverifiedCeiling: "5" }, unquoted],
    [{ trustProxy: "5" }, unquoted],
    [{ ban: { for: "1m", after: "5" } }, unquoted],
    [{ tiers: { pro: { limit: "5" } } }, unquoted],
    [{ limit: { by: "method", of: { GET: "5" }, otherwise: 1 } }, `limit.of.GET: expected a`],
    [{ limit: { by: "methd", of: {}, otherwise: 1 } }, '(did you mean "method"?)'],
    [{ limit: { by: "plan", of: {}, otherwise: 1 } }, '(did you mean { user: "plan" }?)'],
    [
      { limit: { by: "method", of: {}, otherwize: 1 } },
      "expected a known option (did you mean oth",
    ],
    [{ limit: { GET: 5 } }, "limit: expected a whole number from 0 to 2^53 - 1, a table of them"],
    [{ tier: "plan" }, '(did you mean { user: "plan" }?)'],
    [{ key: "IP" }, 'key: expected a key such as "ip", "user", { "header": "x-tenant" }'],
    [{ key: "IP" }, '(did you mean "ip"?)'],
    [{ key: "header:x-api" }, '(did you mean { header: "x-api" }?)'],
    [{ key: ["ip", "cookie: sid"] }, 'key[1]: expected "ip", "user"'],
    [{ key: ["ip", "cookie: sid"] }, '(did you mean { cookie: "sid" }?)'],
    [{ key: "x-api-key" }, '(of a header field: { header: … }; the same for all: "everyone")'],
    [{ key: { headers: "x" } }, "key.headers: expected a known option (did you mean header?)"],
    [{ key: { ip: { prefix: 64 } } }, "a known option: ipv4Prefix or ipv6Prefix"],
    [
      { key: { body: "email" } },
      "(what is in a body or a path: { use: … }, a function that you give)",
    ],
    [
      { key: [{ param: "id" }] },
      "(what is in a body or a path: { use: … }, a function that you give)",
    ],
    [{ key: { join: ["ip", []] } }, "key.join[1]: expected at least 1 of them"],
    [{ key: { join: "ip" } }, '(in a list: ["ip"])'],
    [{ body: "Too many" }, "(of an answer of your own: { value: … })"],
    [{ body: { error: "Too many" } }, "(of an answer of your own: { value: … })"],
    [{ body: { valu: "x" } }, "body.valu: expected a known option (did you mean value?)"],
    [{ skip: true }, "skip: expected a function by its name, as { use: … }, received true"],
    [{ skip: "isStaff" }, '(did you mean { use: "isStaff" }?)'],
    [
      { allow: [{ cdir: "1.2.3.4" }] },
      "allow[0].cdir: expected a known option (did you mean cidr?)",
    ],
    [{ allow: [{ ip: "1.2.3.4" }] }, "a known option: cidr, key, when, late or reason"],
    [{ store: "redis" }, "store: expected a known option here (it stands in code, beside what"],
    [{ onRefused: "log" }, "a known option here (it stands in code, beside what is read)"],
    [{ functions: {} }, "a known option here (it stands in code, beside what is read)"],
    [{ redis: {} }, "a known option here (in code: store: redisStore(client))"],
    [{ message: "Too many" }, "message: expected a known option (did you mean body?)"],
  ])("says how it is meant in data: %j", async (options, told) => {
    expect(await messageOf(() => policiesFrom({ ...base, ...options }))).toContain(told);
  });

  it.each<[string, object, string]>([
    [
      "a path without a slash",
      { match: { path: "a" } },
      'match.path: expected a path such as "/us',
    ],
    ["a regular expression", { match: "/api/.*" }, '(not ".*")'],
    ["nothing", { match: "" }, '(it begins with "/")'],
    ["methods", { match: { methods: "get" } }, "(did you mean method?)"],
    ["a url", { match: { url: "/a" } }, "a known option: method, path, host, header, when or case"],
    ["when", { match: { when: true } }, "match.when: expected a function by its name, as { use"],
    [
      "a rule of no name",
      { name: undefined },
      "name: expected a string of 1 to 128 printable ASCII",
    ],
    ["one name to replace", { replaces: "b" }, '(in a list: ["b"])'],
    ["what a rule shares", { headers: false }, "(it stands beside rules)"],
    ["policies beside a limit", { policies: [rule] }, "policies: expected a known option here"],
    ["a word for no limit", { unlimited: "yes" }, "unlimited: expected a known option here"],
  ])("is told in a rule: %s", async (_, part, told) => {
    const given = { matching: "all", rules: [{ ...rule, ...part }] };
    expect(await messageOf(() => policiesFrom(given))).toContain(told);
  });

  it.each<[object, string]>([
    [{ matching: "all", rules: { a: base } }, 'rules: expected an array such as [{ name: "api", m'],
    [{ policies: { a: base } }, 'policies: expected an array such as [{ name: "minute", limit: 1'],
    [{ policies: [rule, rule] }, "policies[1].name: expected a name no other policy has"],
    [{ matching: "all", rules: [rule, rule] }, "rules[1].name: expected a name no other policy"],
    [
      { matching: "all", rules: [{ name: "a", unlimited: true, limit: 5 }] },
      "rules[0].limit: expected a known option: name, match, replaces, note or unlimited",
    ],
    [{ matching: "all", rules: [{ name: "a", unlimited: 1 }] }, "expected true, or nothing"],
  ])("is told of lists: %j", async (given, told) => {
    expect(await messageOf(() => policiesFrom(given))).toContain(told);
  });

  it("says of the name of a function that was given how to use it, and of others nothing", async () => {
    const functions = { account: () => "a" };
    const given = (options: object) => () => policiesFrom({ ...base, ...options }, { functions });
    const hint = '(did you mean { use: "account" }?)';
    expect(await messageOf(given({ key: "account" }))).toContain(hint);
    expect(await messageOf(given({ cost: "account" }))).toContain(hint);
    expect(await messageOf(given({ skip: "account" }))).toContain(`as { use: … } ${hint}, rec`);
    expect(await messageOf(given({ cost: "tokens" }))).not.toContain("did you mean");
    expect(await messageOf(given({}))).toBe("");
  });

  it("without HTTP is no option that needs a request, by no other name either", async () => {
    const told = await messageOf(() => policiesFrom({ ...base, keyGenerator: 1 }, { http: false }));
    expect(told).toContain(
      "(did you mean key? It is an option only over HTTP; without it, the key",
    );
  });
});
