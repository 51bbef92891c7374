import { describe, expect, it } from "vitest";
import { checkPolicies, parsePolicies, policiesFrom, readPolicyFile } from "./index.ts";

const data = { limit: 1, window: "1m" };
const text = JSON.stringify(data);
const used = { ...data, skip: { use: "mine" } };

/** Returns the error of a reader, whether it throws or rejects. */
async function refusal(attempt: () => unknown): Promise<unknown> {
  try {
    return await attempt();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return [code, message];
  }
}

const readers: [string, (options: never) => unknown][] = [
  ["parsePolicies", (options) => parsePolicies(text, options)],
  ["policiesFrom", (options) => policiesFrom(data, options)],
  ["readPolicyFile", (options) => readPolicyFile("nowhere.json", options)],
  ["checkPolicies", (options) => checkPolicies("nowhere.json", options)],
];

describe.each(readers)("the options of %s", (_, read) => {
  it.each<[unknown, string]>([
    [{ fucntions: {} }, "fucntions: expected a known option (did you mean functions?), received"],
    [{ every: "1m" }, "every: expected a known option"],
    [{ format: "YAML" }, 'format: expected one of "json", "yaml" (did you mean "yaml"?)'],
    [{ format: null }, 'format: expected one of "json", "yaml", received null'],
    [{ http: 0 }, "http: expected true or false, received 0"],
    [{ http: "false" }, 'http: expected true or false, received "false"'],
    [{ functions: null }, "functions: expected an object of functions by their names, received"],
    [{ functions: () => 1 }, "functions: expected an object of functions by their names"],
    [{ functions: { mine: true } }, "functions.mine: expected a function, received true"],
    [null, "options: expected an object, received null"],
    [0, "options: expected an object, received 0"],
  ])("are refused where they do not fit: %o", async (options, message) => {
    const told = await refusal(() => read(options as never));
    expect(told).toEqual(["ERR_INVALID_CONFIG", expect.stringContaining(message)]);
  });

  it("tell all that is wrong with them", async () => {
    const told = await refusal(() => read({ format: "xml", http: 1, nmae: "x" } as never));
    expect(told).toEqual(["ERR_INVALID_CONFIG", expect.stringMatching(/format.*http.*nmae/s)]);
  });
});

describe("the arguments of readers", () => {
  it.each<[string, () => unknown, string]>([
    [
      "a name",
      () => policiesFrom(data, { name: 5 as never }),
      "name: expected a string, received 5",
    ],
    ["no text", () => parsePolicies(undefined as never), "text: expected a string, received undef"],
    [
      "data",
      () => parsePolicies(data as never),
      "text: expected a string (policiesFrom takes data), received an object",
    ],
    ["no path", () => readPolicyFile(undefined as never), "path: expected the path of a file, as"],
    [
      "an address elsewhere",
      () => readPolicyFile(new URL("http://example.com/p.json")),
      "path: expected the path of a file, as a string or a file: URL, received an instance of URL",
    ],
    ["one that is no path", () => readPolicyFile("file:///a%2Fb"), "path: expected the path"],
    ["no paths", () => checkPolicies(undefined as never), "paths: expected the path of a file"],
    ["paths and more", () => checkPolicies(["a.json", 5 as never]), "paths[1]: expected the path"],
    [
      "names and more",
      () => checkPolicies("a.json", { functions: ["mine", 5 as never] }),
      "functions[1]: expected the name of a function, received 5",
    ],
  ])("are refused where they do not fit: %s", async (_, attempt, message) => {
    expect(await refusal(attempt)).toEqual([
      "ERR_INVALID_CONFIG",
      expect.stringContaining(message),
    ]);
  });

  it("may be undefined where they may be left out, and functions those of any object", async () => {
    class Functions {
      readonly mine = (): boolean => true;
    }
    const none = { functions: undefined, name: undefined, format: undefined, http: undefined };
    expect(policiesFrom(data, none)).toEqual(data);
    expect(await parsePolicies(text, none)).toEqual(data);
    const functions = { ...new Functions() };
    expect(policiesFrom(used, { functions })).toEqual({ ...data, skip: functions.mine });
    const given = new Functions();
    expect(policiesFrom(used, { functions: given as never })).toEqual({
      ...data,
      skip: given.mine,
    });
  });
});

describe("data that is more than data", () => {
  const proxy = <Value extends object>(value: Value): Value => new Proxy(value, {});
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each<[string, unknown, string]>([
    ["a proxy", proxy(data), "expected data that can be copied, received DataCloneError"],
    [
      "a proxy within",
      { ...data, deny: proxy(["10.0.0.0/8"]) },
      "deny: expected data that can be copied, received DataCloneError",
    ],
    [
      "several, innermost",
      { ...data, body: { value: proxy({ a: [proxy({}), new Map([["a", () => 1]])] }) } },
      "body.value.a[0]: expected data that can be copied, received DataCloneError: #<Object> could not be cloned.\nbody.value.a[1]: expected data",
    ],
    ["what cannot be read", revoked, "expected data that can be read, received TypeError"],
    [
      "what throws",
      {
        get limit() {
          throw new Error("no limit");
        },
      },
      "expected data that can be read, received Error: no limit",
    ],
    [
      "what throws deep within",
      {
        ...data,
        maximum: [
          {
            get of() {
              throw new Error("no such");
            },
          },
        ],
      },
      "expected data that can be read, received Error: no such",
    ],
  ])("is told as a problem of the policies: %s", async (_, value, message) => {
    expect(await refusal(() => policiesFrom(value))).toEqual([
      "ERR_INVALID_POLICY_FILE",
      expect.stringContaining(message),
    ]);
  });

  it("is blamed for what reading it throws, and for nothing that is thrown later", async () => {
    let reads = 0;
    const value = {
      ...data,
      get status() {
        if (reads++ > 0) throw new RangeError("later");
        return 429;
      },
    };
    expect(() => policiesFrom(value)).toThrow(RangeError);
  });
});
