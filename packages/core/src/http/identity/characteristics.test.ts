import { describe, expect, it } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { callOf, requestOf, type Said } from "../../../test/http-scenarios/requests.ts";
import { createGuard } from "../index.ts";
import { cookie, query, userAgent } from "./characteristics.ts";
import type { Extractor } from "./extractor.ts";
import { ip, join } from "./extractors.ts";

const key = (extractor: Extractor, said: Said, url = "/") => {
  const context = callOf(said);
  context.raw.url = url;
  return (extractor.identify(context) as { key: string } | undefined)?.key;
};

describe("cookie", () => {
  it.each([
    ["sid=abc", "cookie:sid:abc"],
    ["a=1; sid=abc; b=2", "cookie:sid:abc"],
    ["a=1;sid=abc", "cookie:sid:abc"],
    [" sid = abc ", "cookie:sid:abc"],
    ['sid="abc"', "cookie:sid:abc"],
    ["sid=a=b==", "cookie:sid:a=b=="],
    ["sid=first; sid=second", "cookie:sid:first"],
    ["sid=%61", "cookie:sid:%61"],
    ["SID=abc", undefined],
    ["xsid=abc", undefined],
    ["sid=", undefined],
    ['sid=""', undefined],
    ["sid", undefined],
    ["sid; sid=abc", "cookie:sid:abc"],
    ["a=sid=1", undefined],
    ["; ;; =; =sid", undefined],
  ])("in %j is %s", (text, found) => {
    expect(key(cookie("sid"), { headers: { cookie: text } })).toBe(found);
  });

  it("is nothing where none was sent", () => {
    expect(key(cookie("sid"), {})).toBeUndefined();
  });

  it.each(["", "a b", "a=b", "a;b", "é", 7, undefined])("refuses %j for a name", (name) => {
    expect(() => cookie(name as string)).toThrow("cookie(name): expected the name of a cookie");
  });
});

describe("query", () => {
  it.each([
    ["/x?key=abc", "query:key:abc"],
    ["/x?a=1&key=abc#key=no", "query:key:abc"],
    ["/x?key=a%20b+c", "query:key:a b c"],
    ["/x?k%65y=abc", "query:key:abc"],
    ["/x?key=first&key=second", "query:key:first"],
    ["/x?key=", undefined],
    ["/x?key", undefined],
    ["/x?KEY=abc", undefined],
    ["/key=abc", undefined],
    ["/x#?key=abc", undefined],
    ["/x", undefined],
    ["http://host/x?key=abc", "query:key:abc"],
  ])("of %s is %s", (url, found) => {
    expect(key(query("key"), {}, url)).toBe(found);
  });

  it("takes any name that is a string", () => {
    expect(key(query("a:b"), {}, "/?a:b=1")).toBe("query:a%3Ab:1");
    for (const name of ["", "\ud800", 7, undefined]) {
      expect(() => query(name as string)).toThrow("query(name): expected the name of a parameter");
    }
  });
});

describe("what a client merely claims", () => {
  it("is its user agent too", () => {
    expect(key(userAgent(), { headers: { "user-agent": "curl/8" } })).toBe("agent:curl/8");
    expect(key(userAgent(), {})).toBeUndefined();
  });

  it.each([
    ["cookie", cookie("sid"), (i: number): Said => ({ headers: { cookie: `sid=${i}` } })],
    ["userAgent", userAgent(), (i: number): Said => ({ headers: { "user-agent": `${i}` } })],
    [
      "a join",
      join(ip(), userAgent()),
      (i: number): Said => ({ headers: { "user-agent": `${i}` } }),
    ],
  ])("is no way round the limit of its address: %s", async (_, by, said) => {
    const options = { limit: 1, window: "1m", key: by, unverifiedCeiling: 3 } as const;
    const guard = createGuard(bareFramework(), options);
    const kinds: string[] = [];
    for (let i = 0; i < 5; i++) kinds.push((await guard.admit(requestOf(said(i)))).kind);
    expect(kinds).toEqual(["pass", "pass", "pass", "refuse", "refuse"]);
  });

  it("stands in no namespace of a user's own keys", async () => {
    const options = { limit: 1, window: "1m", key: () => "agent:curl/8" } as const;
    const verdict = await createGuard(bareFramework(), options).admit(requestOf());
    expect(verdict).toMatchObject({ decision: { key: "text:agent:curl/8" } });
  });
});
