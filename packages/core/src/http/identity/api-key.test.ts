import { describe, expect, it } from "vitest";
import { callOf } from "../../../test/http-scenarios/requests.ts";
import { apiKey, apiKeyKey } from "./api-key.ts";

describe("apiKey", () => {
  const found = (options: Parameters<typeof apiKey>[0], headers: Record<string, string>) =>
    apiKey(options).identify(callOf({ headers }));

  it("reads x-api-key, and keeps only its hash", () => {
    expect(found({}, { "x-api-key": "secret" })).toEqual({
      key: apiKeyKey("secret"),
      verified: false,
      ceiling: undefined,
    });
    expect(apiKeyKey("secret")).not.toContain("secret");
  });

  it("does not answer without a key, or with an empty one", () => {
    expect(found({}, {})).toBeUndefined();
    expect(found({}, { "x-api-key": "" })).toBeUndefined();
    expect(found({}, { authorization: "Bearer K" })).toBeUndefined();
  });

  it.each([
    ["Bearer K", "K"],
    ["bearer K", "K"],
    ["BEARER  K", "K"],
    ["Bearer   K  ", "K"],
    ["Bearer a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
    ["Bearer", undefined],
    ["Bearer ", undefined],
    ["BearerK", undefined],
    ["x Bearer K", undefined],
    [" Bearer K", undefined],
    ["Bearer K L", undefined],
    ["Bearer K, Bearer L", undefined],
    ["Basic K", undefined],
    ["Bearer\tK", undefined],
  ])("reads %j of authorization as %s", (authorization, key) => {
    const identity = found({ header: "Authorization" }, { authorization });
    expect(identity).toEqual(key && { key: apiKeyKey(key), verified: false, ceiling: undefined });
  });

  it("reads long runs of blanks at once", () => {
    const authorization = `Bearer${" ".repeat(200_000)}\t`;
    expect(found({ header: "authorization" }, { authorization })).toBeUndefined();
  });

  it("takes the first of several headers that is there", () => {
    const options = { header: ["x-new", "Authorization", "x-old"] };
    const rows: [Record<string, string>, string | undefined][] = [
      [{ "x-old": "o", "x-new": "n", authorization: "Bearer b" }, "n"],
      [{ "x-old": "o", authorization: "Bearer b" }, "b"],
      [{ "x-old": "o", authorization: "Basic b" }, "o"],
      [{ "x-other": "x" }, undefined],
    ];
    for (const [headers, key] of rows) {
      expect((found(options, headers) as { key?: string } | undefined)?.key).toBe(
        key && apiKeyKey(key),
      );
    }
  });

  it("gives names of Object.prototype no meaning", () => {
    for (const header of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(found({ header }, {})).toBeUndefined();
    }
  });

  it("asks verify with the key and the request, and takes true for yes, nothing for no", async () => {
    const asked: unknown[] = [];
    const context = callOf({ headers: { "x-api-key": "k" } });
    for (const answer of [true, false, undefined, null]) {
      for (const made of [answer, Promise.resolve(answer)]) {
        const verify = ((...args: unknown[]) => {
          asked.push(args);
          return made;
        }) as never;
        expect(await apiKey({ verify }).identify(context)).toEqual(
          answer === true ? { key: apiKeyKey("k"), verified: true } : undefined,
        );
      }
    }
    expect(asked).toHaveLength(8);
    expect(asked[0]).toEqual(["k", context.req]);
  });

  it.each([["yes"], [""], [1], [0], [{ id: 1 }], [[]], [() => true]])(
    "refuses %j of verify, which says neither yes nor no",
    async (answer) => {
      const context = callOf({ headers: { "x-api-key": "k" } });
      const told = /^key: expected true or false by apiKey\(\{ verify \}\), received /;
      const identified = (verify: () => unknown) =>
        apiKey({ verify: verify as () => boolean }).identify(context);
      expect(() => identified(() => answer)).toThrow(told);
      await expect(identified(async () => answer)).rejects.toThrow(told);
    },
  );

  it("tells nobody what a string says that verify answered", () => {
    const verify = (() => "sk_live_1") as never;
    const context = callOf({ headers: { "x-api-key": "k" } });
    expect(() => apiKey({ verify }).identify(context)).toThrow(/, received a string$/);
  });

  it("hands on what verify throws or rejects with", async () => {
    const context = callOf({ headers: { "x-api-key": "k" } });
    const fails = (): never => {
      throw new Error("mine");
    };
    expect(() => apiKey({ verify: fails }).identify(context)).toThrow("mine");
    const rejects = apiKey({ verify: async () => fails() }).identify(context);
    await expect(rejects).rejects.toThrow("mine");
  });

  it("carries its ceiling", () => {
    for (const unverifiedCeiling of [0, 5, false] as const) {
      const identity = found({ unverifiedCeiling }, { "x-api-key": "k" });
      expect((identity as { ceiling: unknown }).ceiling).toBe(unverifiedCeiling);
    }
  });

  it.each([
    [{ header: 7 }, "header"],
    [{ header: [] }, "header"],
    [{ header: "a b" }, "header: expected the name of a header field"],
    [{ header: ["ok", "x:y"] }, "header[1]: expected the name of a header field"],
    [{ header: "" }, "the name of a header field"],
    [{ verify: true }, "verify"],
    [{ unverifiedCeiling: -1 }, "unverifiedCeiling"],
    [{ unverifiedCeiling: 1.5 }, "unverifiedCeiling"],
    [{ unverifiedCeiling: true }, "unverifiedCeiling"],
    [{ headers: "x" }, "did you mean header?"],
  ])("refuses %j", (options, told) => {
    expect(() => apiKey(options as never)).toThrow(told);
    expect(() => apiKey(options as never)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_CONFIG" }),
    );
  });
});
