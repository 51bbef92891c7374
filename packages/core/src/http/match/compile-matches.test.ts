import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callOf, type Said } from "../../../test/http-scenarios/requests.ts";
import type { Awaitable } from "../../awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import { compileMatches } from "./compile-matches.ts";
import type { Match } from "./match-options.ts";

interface Asked extends Said {
  readonly url?: string;
  readonly emptyParams?: boolean;
}

function callAt({ url = "/", emptyParams = false, ...said }: Asked): RequestContext {
  const context = callOf(said);
  context.raw.url = url;
  return { ...context, framework: { ...context.framework, emptyParams } };
}

const fits = (match: Match<never>, asked: Asked) =>
  compileMatches([match], "rules").first(callAt(asked)) === 0;

describe("a path", () => {
  it.each<[string, string[], string[]]>([
    ["/", ["/", "//", "", "/?x", "http://host", "http://host/"], ["/a", "/.", "*"]],
    [
      "/login",
      ["/login", "/LOGIN", "/login/", "//login", "/%6Cogin", "/log%69n?x=1", "http://h/login#"],
      ["/logins", "/login/x", "/x/login", "/%256Cogin", "/login%2f", "/login;x", "/a/../login"],
    ],
    ["/users/:id", ["/users/42", "/users/a%2Fb", "/users/%zz", "/USERS/x/"], ["/users", "/users/"]],
    ["/users/:id/posts", ["/users/1/posts"], ["/users/posts", "/users//posts", "/users/1/2/posts"]],
    ["/files/*", ["/files", "/files/", "/files/a", "/FILES/a/b/"], ["/", "/file", "/filesystem"]],
    ["/*", ["/", "/a", "/a/b", "*"], []],
    ["/café", ["/caf%C3%A9", "/CAF%C3%89", "/caf%c3%a9"], ["/cafe", "/caf%C3"]],
    ["/caf%C3%A9", ["/caf%C3%A9", "/caf%25C3%25A9"], ["/cafe"]],
    ["/a;v=1", ["/a;v=1", "/A;V=1", "/a%3Bv%3D1"], ["/a", "/a;v=2"]],
    ["/a/./b", ["/a/./b"], ["/a/b"]],
    ["/__proto__/constructor", ["/__proto__/constructor"], ["/toString", "/__proto__"]],
  ])("%s", (pattern, fitting, others) => {
    for (const url of fitting) expect([url, fits(pattern, { url })]).toEqual([url, true]);
    for (const url of others) expect([url, fits(pattern, { url })]).toEqual([url, false]);
  });

  it("minds the case where it is told to, also of what is encoded", () => {
    const match = { path: ["/Me/:id", "/Ü"], caseSensitive: true };
    const urls = ["/Me/X", "/me/X", "/M%65/x", "/%4De/x", "/%C3%9C", "/%C3%BC"];
    const found = urls.map((url) => fits(match, { url }));
    expect(found).toEqual([true, false, true, true, true, false]);
  });

  it("takes empty segments for a parameter where the router does, and never for a literal", () => {
    const urls = ["/users/", "/users//posts", "/users//", "//users/1", "/users"];
    const found = (pattern: string) => urls.map((url) => fits(pattern, { url, emptyParams: true }));
    expect(found("/users/:id")).toEqual([true, true, false, true, false]);
    expect(found("/users/:id/posts")).toEqual([false, true, false, false, false]);
    expect(found("/users")).toEqual([true, false, true, false, true]);
  });
});

describe("a method", () => {
  it("GET is HEAD too, and HEAD is not GET", () => {
    const methods = ["GET", "HEAD", "POST"];
    const found = (match: Match<never>) => methods.map((method) => fits(match, { method }));
    expect(found("GET /")).toEqual([true, true, false]);
    expect(found("head /")).toEqual([false, true, false]);
    expect(found("get|POST /")).toEqual([true, true, true]);
    expect(found({ method: ["PUT", "post"] })).toEqual([false, false, true]);
  });
});

describe("a host", () => {
  it.each<[string, string[], string[]]>([
    [
      "example.com",
      ["example.com", "EXAMPLE.COM:80", "example.com."],
      ["a.example.com", "", "com"],
    ],
    [
      "*.example.com",
      ["a.example.com", "a.b.EXAMPLE.com:1"],
      ["example.com", ".example.com", "aexample.com"],
    ],
    ["Bücher.example", ["xn--bcher-kva.example"], ["bucher.example"]],
    ["[::1]", ["[::1]", "[::1]:80"], ["::1", "localhost"]],
  ])("%s", (host, fitting, others) => {
    for (const one of fitting)
      expect([one, fits({ host }, { headers: { host: one } })]).toEqual([one, true]);
    for (const one of others)
      expect([one, fits({ host }, { headers: { host: one } })]).toEqual([one, false]);
  });

  it("comes with a path, or as one of several", () => {
    const match = { host: ["a.example", "*.b.example"], path: "/x" };
    const at = (host: string, url: string) => fits(match, { url, headers: { host } });
    expect([at("a.example", "/x"), at("c.b.example", "/x")]).toEqual([true, true]);
    expect([at("a.example", "/y"), at("b.example", "/x")]).toEqual([false, false]);
  });
});

describe("a header", () => {
  it.each<[Record<string, string | true | readonly string[]>, Asked["headers"], boolean]>([
    [{ "X-Plan": true }, { "x-plan": "" }, true],
    [{ "X-Plan": true }, {}, false],
    [{ "x-plan": "free" }, { "x-plan": "free" }, true],
    [{ "x-plan": "free" }, { "x-plan": "Free" }, false],
    [{ "x-plan": "free" }, { "x-plan": "pro, free" }, true],
    [{ "x-plan": "free" }, { "x-plan": "freedom" }, false],
    [{ "x-plan": ["free", "pro"] }, { "x-plan": "pro" }, true],
    [{ "x-plan": "a, b" }, { "x-plan": "a, b" }, true],
    [{ "x-plan": "b" }, { "x-plan": ["a", "b"] }, true],
    [{ "x-plan": "" }, { "x-plan": "" }, true],
    [{ "x-plan": "a", via: true }, { "x-plan": "a" }, false],
    [{ "x-plan": "a", via: true }, { "x-plan": "a", via: "b" }, true],
    [{ constructor: true } as never, {}, false],
  ])("%j in %j: %s", (header, headers, expected) => {
    expect(fits({ header }, { headers: headers! })).toBe(expected);
  });
});

describe("a function", () => {
  const answers: readonly [unknown, boolean][] = [
    [true, true],
    [false, false],
    [null, false],
    [undefined, false],
  ];

  it.each(answers)("that answers %s, now or later", async (answer, expected) => {
    const now = compileMatches([() => answer as boolean], "rules").first(callAt({}));
    expect(now).toBe(expected ? 0 : -1);
    const later = compileMatches([async () => answer as boolean], "rules").first(callAt({}));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(expected ? 0 : -1);
  });

  it.each(["yes", 1, 0, {}])("is wrong to answer %j", async (answer) => {
    const told = /^limits\[1\]\.match: expected true or false/;
    const of = (when: () => unknown) => compileMatches(["/x", { when } as never], "limits");
    expect(() => of(() => answer).first(callAt({}))).toThrow(told);
    expect(() => of(() => answer).all(callAt({}))).toThrow(told);
    await expect(of(async () => answer).first(callAt({}))).rejects.toThrow(told);
  });

  it("is asked once, last, and only where the rest holds", () => {
    const asked: unknown[] = [];
    const when = (req: unknown) => {
      asked.push(req);
      return false;
    };
    const match = { path: ["/a/:b", "/a/*"], method: "POST", header: { via: true }, when } as const;
    const matching = compileMatches([match], "rules");
    const elsewhere = { url: "/b", method: "POST", headers: { via: "x" } };
    expect(matching.first(callAt({ url: "/a/b", method: "POST" }))).toBe(-1);
    expect(matching.first(callAt(elsewhere))).toBe(-1);
    expect(asked).toEqual([]);
    const context = callAt({ url: "/a/b", method: "POST", headers: { via: "x" } });
    expect(matching.first(context)).toBe(-1);
    expect(asked).toEqual([context.req]);
  });

  it("is not asked where an earlier rule fits", () => {
    let asked = 0;
    const count = () => ++asked > 0;
    expect(compileMatches(["/a", count], "rules").first(callAt({ url: "/a" }))).toBe(0);
    expect(asked).toBe(0);
  });
});

describe("many matches", () => {
  const rules: readonly (Match<never> | undefined)[] = [
    ["GET /a", "/a/*"],
    { method: "POST" },
    "/a/:b",
    async () => true,
    { host: "x.example" },
    undefined,
    "/a/b",
  ];

  it("are answered in their order, each once", async () => {
    const matching = compileMatches(rules, "rules");
    const all = async (asked: Asked) => matching.all(callAt(asked));
    expect(await all({ url: "/a/b" })).toEqual([0, 2, 3, 5, 6]);
    expect(await all({ url: "/A", method: "POST" })).toEqual([0, 1, 3, 5]);
    expect(await all({ url: "/z", headers: { host: "x.example" } })).toEqual([3, 4, 5]);
    expect(await matching.first(callAt({ url: "/a" }))).toBe(0);
    expect(await matching.first(callAt({ url: "/b", method: "POST" }))).toBe(1);
    expect(await matching.first(callAt({ url: "/b" }))).toBe(3);
  });

  it("answer in place where nothing makes them wait", () => {
    const matching = compileMatches(["/a", undefined], "rules");
    expect(matching.all(callAt({ url: "/a" }))).toEqual([0, 1]);
    expect(compileMatches([], "rules").first(callAt({}))).toBe(-1);
    expect(compileMatches([], "rules").all(callAt({}))).toEqual([]);
  });
});

describe("the index", () => {
  const word = fc.constantFrom("a", "b", "B", "%61", "c");
  const segment = fc.oneof(
    { weight: 3, arbitrary: word },
    { weight: 1, arbitrary: fc.constant(":x") },
  );
  const pattern = fc
    .tuple(fc.array(segment, { maxLength: 4 }), fc.boolean(), fc.boolean())
    .map(
      ([parts, rest, slash]) =>
        `/${[...parts, ...(rest ? ["*"] : [])].join("/")}${slash && !rest && parts.length > 0 ? "/" : ""}`,
    );
  const answer = fc.constantFrom<(() => Awaitable<boolean>)[]>(
    () => true,
    () => false,
    async () => true,
    async () => false,
  );
  const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 });
  const hosts = fc.constantFrom("x.example", "*.example", "y.example", "a.x.example");
  const conditions = fc
    .record({
      method: some(fc.constantFrom("GET", "POST", ["HEAD", "PUT"])),
      path: some(fc.oneof(pattern, fc.array(pattern, { minLength: 1, maxLength: 3 }))),
      host: some(fc.oneof(hosts, fc.array(hosts, { minLength: 1, maxLength: 3 }))),
      header: some(fc.constantFrom({ via: true as const }, { via: ["1", "2"] })),
      when: some(answer),
    })
    .filter((given) => Object.values(given).some((one) => one !== undefined));
  const match = fc.oneof(
    pattern,
    pattern.map((text) => `GET|PUT ${text}`),
    conditions,
    answer,
    fc.array(fc.oneof(pattern, conditions), { minLength: 1, maxLength: 3 }),
  ) as fc.Arbitrary<Match<never>>;
  const url = fc
    .array(fc.constantFrom("a", "b", "A", "%61", "%62", "", "c", ".", "%", "x"), { maxLength: 6 })
    .map((parts) => `/${parts.join("/")}`);
  const asked: fc.Arbitrary<Asked> = fc.record({
    url,
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT"),
    headers: fc.record({
      host: fc.constantFrom("x.example", "Y.example:80", "a.x.example", "other"),
      via: fc.constantFrom("1", "2, 3", "3"),
    }),
    emptyParams: fc.boolean(),
  });

  it("agrees with asking one rule after another", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(match, { nil: undefined, freq: 20 }), { maxLength: 12 }),
        asked,
        async (matches, said) => {
          const each: number[] = [];
          for (const [i, one] of matches.entries()) {
            if (one === undefined || (await naive(one, said))) each.push(i);
          }
          const matching = compileMatches(matches, "rules");
          expect(await matching.all(callAt(said))).toEqual(each);
          expect(await matching.first(callAt(said))).toBe(each[0] ?? -1);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("never throws, whatever the path and the host", () => {
    const matching = compileMatches(
      ["/a/:b/*", { host: "*.a.example", path: "/%61" }, { path: "/A", caseSensitive: true }],
      "rules",
    );
    const wild = fc.string({
      unit: fc.constantFrom("/", "%", "2", "F", "a", "?", "#", ":", "\\", "\0", "é", "\ud800", "."),
    });
    fc.assert(
      fc.property(wild, wild, fc.boolean(), (path, host, emptyParams) => {
        const context = callAt({ url: path, headers: { host }, emptyParams });
        const all = matching.all(context) as readonly number[];
        expect([-1, 0, 1, 2]).toContain(matching.first(context));
        expect(all).toEqual([0, 1, 2].filter((i) => all.includes(i)));
        expect(matching.first(context)).toBe(all[0] ?? -1);
      }),
      { numRuns: 2000 },
    );
  });

  it("looks at no more nodes for a path that is made to be slow", () => {
    const deep = Array.from({ length: 12 }, (_, i) => `/${Array(i).fill(":x").join("/")}/a`);
    const matching = compileMatches(
      deep.map((path) => path.replace("//", "/")),
      "rules",
    );
    const context = callAt({ url: "/".repeat(60_000), emptyParams: true });
    expect(matching.all(context)).toEqual([]);
  });
});

/** The plain meaning of a match, one segment after another. */
async function naive(match: Match<never>, asked: Asked): Promise<boolean> {
  if (Array.isArray(match)) {
    for (const one of match as readonly Match<never>[]) if (await naive(one, asked)) return true;
    return false;
  }
  if (typeof match === "function") return (await match(undefined as never)) === true;
  if (typeof match === "string") {
    const [methods, path] = match.includes(" ") ? match.split(" ") : [undefined, match];
    return naive({ path: path!, ...(methods ? { method: methods.split("|") } : {}) }, asked);
  }
  const given = match as Exclude<Match<never>, string | readonly unknown[] | (() => unknown)>;
  const { method, path, host, header, when } = given as {
    method?: string | string[];
    path?: string | string[];
    host?: string | string[];
    header?: { via: true | string[] };
    when?: () => Awaitable<boolean>;
  };
  const headers = asked.headers as { host: string; via: string };
  const name = headers.host.toLowerCase().replace(/:.*/, "");
  const methods = [method ?? []].flat();
  if (
    method &&
    !methods.includes(asked.method!) &&
    !(methods.includes("GET") && asked.method === "HEAD")
  )
    return false;
  const ofHost = (one: string) =>
    one.startsWith("*") ? name.endsWith(one.slice(1)) : name === one;
  if (host && ![host].flat().some(ofHost)) return false;
  const via = headers.via.split(", ");
  if (header && header.via !== true && !header.via.some((one) => via.includes(one))) return false;
  if (path && ![path].flat().some((one) => fitsPath(one, asked))) return false;
  return when ? when() : true;
}

function fitsPath(pattern: string, { url = "/", emptyParams }: Asked): boolean {
  const wanted = pattern.split("/").slice(1).map(lowered);
  if (wanted.at(-1) === "") wanted.pop();
  const sent = url.split("/").slice(1).map(lowered);
  const full = sent.filter((part) => part !== "");
  return bySegments(wanted, full) || (emptyParams === true && bySegments(wanted, sent));
}

function bySegments(wanted: readonly string[], sent: readonly string[]): boolean {
  const rest = wanted.at(-1) === "*";
  const needed = rest ? wanted.slice(0, -1) : wanted;
  if (rest ? sent.length < needed.length : sent.length !== needed.length) return false;
  return needed.every((part, i) => part.startsWith(":") || part === sent[i]);
}

function lowered(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}
