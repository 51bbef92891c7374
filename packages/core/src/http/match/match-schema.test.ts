import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "../../errors.ts";
import { checkOptions } from "../../options/check-options.ts";
import { compileMatches } from "./compile-matches.ts";
import { matchSchema } from "./match-schema.ts";

const schema = z.strictObject({ rules: z.array(z.strictObject({ match: matchSchema })) });
const check = (match: unknown) => checkOptions(schema, { rules: [{ match }] });

describe("matchSchema", () => {
  const when = (): boolean => true;

  it.each([
    ["/a"],
    ["GET /a"],
    ["GET|post  /a/:b"],
    [when],
    [["/a", "POST /b", { host: "x.example" }, when]],
    [[["/a"], ["/b"]]],
    [{ method: "GET" }],
    [{ method: ["GET", "m-search"], path: ["/a", "/*"] }],
    [{ path: "/a", caseSensitive: true }],
    [{ host: ["a.example", "*.b.example", "[::1]", "bücher.example", "localhost", "10.0.0.1"] }],
    [{ header: { "X-Plan": true, accept: "a", via: ["1", "2"] } }],
    [{ when, method: undefined }],
  ])("takes %j", (match) => {
    expect(check(match)).toEqual({ rules: [{ match }] });
    expect(() => compileMatches([match as never], "rules")).not.toThrow();
  });

  it.each([
    ["users", "rules[0].match: expected a path such as"],
    ["GET", "rules[0].match: expected a path such as"],
    ["GET users", "rules[0].match: expected a path such as"],
    ["GTE /users", 'rules[0].match: expected a method such as "GET"'],
    ["GET, POST /users", 'rules[0].match: expected a method such as "GET"'],
    ["/users/:id?", 'rules[0].match: expected a path such as "/users/:id"'],
    [7, "rules[0].match: expected a path such as"],
    [null, "rules[0].match: expected"],
    [undefined, "rules[0].match: expected"],
    [[], "rules[0].match: expected"],
    [{}, "rules[0].match: expected"],
    [{ path: undefined }, "rules[0].match: expected"],
    [["/a", "b"], "rules[0].match[1]: expected a path such as"],
    [["/a", { path: ["/b", "c"] }], "rules[0].match[1].path[1]: expected a path such as"],
    [[[{ method: "GO" }]], 'rules[0].match[0][0].method: expected a method such as "GET"'],
    [{ method: [] }, "rules[0].match.method: expected a string, or a non-empty list"],
    [{ method: 7 }, "rules[0].match.method: expected a method"],
    [{ path: [] }, "rules[0].match.path: expected a string, or a non-empty list"],
    [{ path: 7 }, "rules[0].match.path: expected a path"],
    [{ url: "/a" }, "rules[0].match.url: expected one of the conditions method, path, host"],
    [{ host: "example.com:80" }, "rules[0].match.host: expected a host such as"],
    [{ host: "http://example.com" }, "rules[0].match.host: expected a host such as"],
    [{ host: "*" }, "rules[0].match.host: expected a host such as"],
    [{ host: "a.*.example" }, "rules[0].match.host: expected a host such as"],
    [{ host: "" }, "rules[0].match.host: expected a host such as"],
    [{ host: ["a.example", 7] }, "rules[0].match.host[1]: expected a host such as"],
    [{ header: {} }, "rules[0].match.header: expected names of header fields"],
    [{ header: "x-plan" }, "rules[0].match.header: expected names of header fields"],
    [{ header: { "x plan": true } }, "rules[0].match.header.x plan: expected the name"],
    [
      { header: { "x-plan": false } },
      "rules[0].match.header.x-plan: expected a string, a non-empty list",
    ],
    [
      { header: { "x-plan": [] } },
      "rules[0].match.header.x-plan: expected a string, a non-empty list",
    ],
    [{ when: "x" }, "rules[0].match.when: expected a function"],
    [{ path: "/a", caseSensitive: "yes" }, "rules[0].match.caseSensitive: expected true or false"],
    [{ method: "GET", caseSensitive: true }, "rules[0].match.caseSensitive: expected a path"],
  ])("refuses %j", (match, told) => {
    expect(() => check(match)).toThrow(ConfigError);
    expect(() => check(match)).toThrow(told);
    if (match === undefined) return;
    expect(() => compileMatches(["/a", match as never], "rules")).toThrow(
      /^rules\[1\]\.match: expected/,
    );
  });
});
