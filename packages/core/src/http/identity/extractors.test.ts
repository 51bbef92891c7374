import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callOf, type Said } from "../../../test/http-scenarios/requests.ts";
import { apiKey, apiKeyKey } from "./api-key.ts";
import type { Extractor } from "./extractor.ts";
import { everyone, header, ip, join, jwtClaim, route, user } from "./extractors.ts";
import { headerText } from "./header-text.ts";

const identify = (extractor: Extractor, said: Said = {}) => extractor.identify(callOf(said));
const key = (extractor: Extractor, said: Said = {}) =>
  (identify(extractor, said) as { key: string } | undefined)?.key;

describe("ip", () => {
  it.each([
    ["192.0.2.1", "ip:192.0.2.1"],
    ["::ffff:192.0.2.1", "ip:192.0.2.1"],
    ["2001:db8:1:2::9", "ip:2001:db8:1:2::/64"],
    ["fe80::1%eth0", "ip:fe80::/64"],
    ["not an address", "ip:none"],
    [undefined, "ip:none"],
  ])("of %s is %s", (peer, found) => {
    expect(identify(ip(), { peer })).toEqual({ key: found, verified: true });
  });

  it("masks by a prefix of its own", () => {
    expect(key(ip({ ipv6Prefix: 48 }), { peer: "2001:db8:1:2::9" })).toBe("ip:2001:db8:1::/48");
    expect(key(ip({ ipv6Prefix: 128 }), { peer: "2001:DB8::0001" })).toBe("ip:2001:db8::1");
  });

  it.each([31, 129, 0, -1, 56.5, Number.NaN, "64", null])(
    "refuses a prefix of %s",
    (ipv6Prefix) => {
      expect(() => ip({ ipv6Prefix: ipv6Prefix as number })).toThrow(
        /^ipv6Prefix: expected a whole number from 32 to 128/,
      );
    },
  );
});

describe("ip of a network", () => {
  it.each([
    ["192.0.2.77", 24, "ip:192.0.2.0/24"],
    ["192.0.2.77", 32, "ip:192.0.2.77"],
    ["255.255.255.255", 8, "ip:255.0.0.0/8"],
    ["200.1.2.3", 9, "ip:200.0.0.0/9"],
    ["::ffff:192.0.2.77", 24, "ip:192.0.2.0/24"],
    ["64:ff9b::192.0.2.77", 24, "ip:192.0.2.0/24"],
    ["2001:db8:1:2::9", 24, "ip:2001:db8:1:2::/64"],
    [undefined, 24, "ip:none"],
  ])("%s by /%s is %s", (peer, ipv4Prefix, found) => {
    expect(key(ip({ ipv4Prefix }), { peer })).toBe(found);
  });

  it.each([7, 33, 0, 24.5, "24", null])("refuses a prefix of %s", (ipv4Prefix) => {
    expect(() => ip({ ipv4Prefix: ipv4Prefix as number })).toThrow(
      /^ipv4Prefix: expected a whole number from 8 to 32/,
    );
  });
});

it.each<[make: () => unknown, says: string]>([
  [() => ip(24 as never), "ip(options): expected an object of options such as { ipv4Prefix: 24 }"],
  [() => user((() => "1") as never), "user(options): expected an object of options such as { from"],
  [
    () => apiKey("authorization" as never),
    "apiKey(options): expected an object of options such as",
  ],
  [() => apiKey(["x-key"] as never), '{ header: "authorization" }, received an array of 1'],
])("options that are none are told with what they look like: %s", (make, says) => {
  expect(make).toThrow(says);
});

describe("user", () => {
  it("is the id that authentication left", () => {
    expect(key(user(), { user: { id: "ada" } })).toBe("user:ada");
  });

  it.each([undefined, null, {}, { id: "" }, { id: null }, "ada", 7])("of %j is nobody", (given) => {
    expect(key(user(), { user: given })).toBeUndefined();
  });

  it("refuses an id that is no text", () => {
    expect(() => key(user(), { user: { id: 7 } })).toThrow(
      /^key: expected the user's id by user\(\) as a string/,
    );
    expect(() => key(user({ from: () => 7 as never }), {})).toThrow(
      /^key: expected from user\(\{ from \}\) a string/,
    );
  });

  it("asks from, now or later", async () => {
    const from = (req: unknown) => (req as { headers: Record<string, string> }).headers["x-sub"];
    const said = { headers: { "x-sub": "7" } };
    expect(key(user({ from }), said)).toBe("user:7");
    const later = user({ from: async (req) => from(req) });
    expect(await identify(later, said)).toEqual({ key: "user:7", verified: true });
    expect(await identify(later, {})).toBeUndefined();
  });
});

describe("header", () => {
  it("has a namespace for each field", () => {
    const headers = { "x-tenant": "a", "x-other": "a" };
    expect(key(header("X-Tenant"), { headers })).toBe("header:x-tenant:a");
    expect(key(header("x-other"), { headers })).toBe("header:x-other:a");
    expect(key(header("x-third"), { headers })).toBeUndefined();
  });

  it.each(["", " ", "a b", "a:b", "é", "a\r\nb", 7, undefined])("refuses %j for a name", (name) => {
    expect(() => header(name as string)).toThrow(
      "header(name): expected the name of a header field",
    );
  });

  it("joins several lines as Node does, and finds nothing that is not a field", () => {
    const context = callOf({ headers: { "set-cookie": ["a", "b"], empty: "", "x-a": "1" } });
    expect(headerText(context, "set-cookie")).toBe("a, b");
    expect(headerText(context, "x-a")).toBe("1");
    for (const field of ["empty", "missing", "__proto__", "constructor", "valueof", "toString"]) {
      expect(headerText(context, field)).toBeUndefined();
    }
  });
});

describe("jwtClaim", () => {
  it("reads a claim of its own, and nothing inherited", () => {
    expect(key(jwtClaim("sub"), { user: { sub: "u-1" } })).toBe("claim:sub:u-1");
    expect(key(jwtClaim("https://x/y:z"), { user: { "https://x/y:z": "1" } })).toBe(
      "claim:https%3A%2F%2Fx%2Fy%3Az:1",
    );
    for (const name of ["constructor", "toString", "__proto__"]) {
      expect(key(jwtClaim(name), { user: {} })).toBeUndefined();
    }
    expect(key(jwtClaim("sub"), { user: "token" })).toBeUndefined();
    expect(() => key(jwtClaim("n"), { user: { n: 7 } })).toThrow(
      'key: expected the claim by jwtClaim("n") as a string',
    );
  });

  it.each(["", 7, undefined])("refuses %j for a name", (name) => {
    expect(() => jwtClaim(name as string)).toThrow("jwtClaim(name): expected the name of a claim");
  });
});

describe("everyone and route", () => {
  it("count all as one, and by the matched route", () => {
    expect(key(everyone())).toBe("everyone");
    expect(key(route())).toBeUndefined();
    const rows = { GET: "GET /a/:b", HEAD: "GET /a/:b", POST: "POST /a/:b" };
    for (const [method, text] of Object.entries(rows)) {
      const context = callOf({ method });
      const framework = { ...context.framework, route: () => "/a/:b" };
      const found = { key: `route:${text}`, verified: true };
      expect(route().identify({ ...context, framework })).toEqual(found);
      const methods = (): string[] => ["HEAD", "GET", "PUT"];
      const several = route().identify({ ...context, framework: { ...framework, methods } });
      expect(several).toEqual({ key: "route:GET,PUT /a/:b", verified: true });
    }
  });
});

describe("join", () => {
  it("answers only where all of its parts do", async () => {
    const both = join(header("x-a"), header("x-b"));
    expect(key(both, { headers: { "x-a": "1" } })).toBeUndefined();
    expect(key(both, { headers: { "x-b": "1" } })).toBeUndefined();
    const late = join(user({ from: async () => "ada" }), header("x-b"));
    expect(await identify(late, { headers: { "x-b": "1" } })).toEqual({
      key: `join:8:user:ada12:header:x-b:1`,
      verified: true,
      ceiling: undefined,
    });
  });

  it("never gives different parts one key", () => {
    const both = join(header("x-a"), header("x-b"));
    const part = fc.string({
      unit: fc.constantFrom("a", ":", "1", "2", "%", " ", "\0", "é"),
      minLength: 1,
    });
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const one = key(both, { headers: { "x-a": a, "x-b": b } });
        const other = key(both, { headers: { "x-a": c, "x-b": d } });
        expect(one === other).toBe(a === c && b === d);
      }),
      { numRuns: 500 },
    );
  });

  it("is as little verified as its least part, and keeps that part's ceiling", () => {
    const claimed = join(ip(), apiKey({ unverifiedCeiling: 5 }));
    const headers = { "x-api-key": "k" };
    expect(identify(claimed, { headers })).toMatchObject({ verified: false, ceiling: 5 });
    const known = join(ip(), apiKey({ verify: () => true }));
    expect(identify(known, { headers })).toMatchObject({ verified: true });
    expect(key(claimed, { headers })).toContain(apiKeyKey("k"));
  });

  it("joins joined keys", () => {
    const headers = { "x-a": "1", "x-b": "2", "x-c": "3" };
    const [a, b, c] = [header("x-a"), header("x-b"), header("x-c")];
    expect(key(join(join(a, b), c), { headers })).not.toBe(key(join(a, join(b, c)), { headers }));
    expect(key(join(a, b, c), { headers })).not.toBe(key(join(a, join(b, c)), { headers }));
  });

  it("joins functions of the request, which nobody takes for an extractor", () => {
    const of = (text: unknown) =>
      key(
        join(ip(), () => text as string),
        {},
      );
    expect(of("a")).not.toBe(of("b"));
    const ada = key(join(ip(), user()), { user: { id: "ada" } });
    expect(of("user:ada")).not.toBe(ada);
    for (const nobody of ["", null, undefined]) expect(of(nobody)).toBeUndefined();
    expect(() => of(7)).toThrow("key: expected from part 2 of join a string");
  });

  it("joins the first of a list that is found", () => {
    const whoever = join(header("x-a"), [user(), () => null, ip()]);
    const headers = { "x-a": "1" };
    const ada = key(join(header("x-a"), user()), { headers, user: { id: "ada" } });
    expect(key(whoever, { headers, user: { id: "ada" } })).toBe(ada);
    expect(key(whoever, { headers })).toBe(key(join(header("x-a"), ip()), { headers }));
    expect(key(join(header("x-a"), [user()]), { headers })).toBeUndefined();
    const numbers = join(ip(), [user(), () => 7 as never]);
    expect(() => key(numbers, {})).toThrow("key: expected from part 2 of join a string");
  });

  it.each<[part: unknown, hint: string]>([
    [[], "join(parts)[1]: expected at least 1 of them, received an array of 0"],
    [
      [ip(), ip],
      'join(parts)[1][1]: expected an extractor, such as ip() or header("x-tenant"), or a function of the request (call it: ip()), received a function ip',
    ],
    [[ip(), [user()]], "join(parts)[1][1]: expected an extractor, such as ip()"],
    [[undefined, ip()], "join(parts)[1][0]: expected an extractor, such as ip()"],
    // biome-ignore lint/suspicious/noSparseArray: that is the case
    [[, ip()], "join(parts)[1][0]: expected an extractor, such as ip()"],
    [
      ip,
      "or a function of the request, or a list of these (call it: ip()), received a function ip",
    ],
    [
      header,
      "or a function of the request, or a list of these (call it: header(…)), received a function header",
    ],
    [
      apiKey,
      "or a function of the request, or a list of these (call it: apiKey()), received a function apiKey",
    ],
    ["ip", 'or a function of the request, or a list of these, received "ip"'],
  ])("says how to call what makes extractors: %o", (part, hint) => {
    expect(() => join(ip(), part as never)).toThrow(hint);
  });

  it("refuses what is no extractor, and a single one", () => {
    expect(() => join(ip())).toThrow("join(parts): expected at least 2 of them");
    for (const part of [ip, "ip", null, {}]) {
      expect(() => join(ip(), part as never)).toThrow(
        "join(parts)[1]: expected an extractor, such as ip()",
      );
    }
  });
});
