import { describe, expect, it } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { callOf, requestOf } from "../../../test/http-scenarios/requests.ts";
import { createGuard } from "../guard.ts";
import { apiKey } from "./api-key.ts";
import { type Extractor, extractor } from "./extractor.ts";
import { header, ip, join, jwtClaim, user } from "./extractors.ts";
import { keyOf } from "./key-of.ts";

describe("keyOf", () => {
  it("gives the keys that requests have", () => {
    const said = { peer: "2001:db8:1:2::1", headers: { "x-api-key": "k" }, user: { id: "ada" } };
    const key = (extractor: ReturnType<typeof ip>) => extractor.identify(callOf(said));
    expect(key(ip())).toMatchObject({ key: keyOf.ip(said.peer) });
    expect(key(ip({ ipv6Prefix: 48 }))).toMatchObject({
      key: keyOf.ip(said.peer, { ipv6Prefix: 48 }),
    });
    expect(key(user())).toMatchObject({ key: keyOf.user("ada") });
    expect(key(apiKey())).toMatchObject({ key: keyOf.apiKey("k") });
  });

  it.each(["fe80::1%eth0", "fe80::1%eth0.100"])("drops the zone of %s", (text) => {
    expect(keyOf.ip(text)).toBe("ip:fe80::/64");
  });

  it.each(["not-an-ip", "", "1.2.3", "999.1.1.1", "x".repeat(4000), "unknown", undefined])(
    "gives the reserved key for %j, which is no address",
    (text) => {
      expect(keyOf.ip(text)).toBe("ip:none");
    },
  );

  it.each([7, null, {}, ["192.0.2.1"]])("refuses %j, which is no text", (value) => {
    expect(() => keyOf.ip(value as never)).toThrow("keyOf.ip(text): expected a string");
    expect(() => keyOf.user(value as never)).toThrow("keyOf.user(id): expected a non-empty string");
    expect(() => keyOf.apiKey(value as never)).toThrow(
      "keyOf.apiKey(text): expected a non-empty string",
    );
  });

  const long = "x".repeat(300);
  const said = {
    peer: "2001:db8:1:2::1",
    headers: { "x-api-key": "k", "x-tenant": "acme: 1", "x-long": long },
    user: { id: "Zoë", sub: "42", "https://x/y:z": "ö" },
  };
  const tenant = keyOf.header("X-Tenant", "acme: 1");
  const zoe = keyOf.user("Zoë");
  const address = keyOf.ip(said.peer);

  it.each<[Extractor, string]>([
    [header("x-tenant"), tenant],
    [header("x-long"), keyOf.header("x-long", long)],
    [jwtClaim("sub"), keyOf.jwtClaim("sub", "42")],
    [jwtClaim("https://x/y:z"), keyOf.jwtClaim("https://x/y:z", "ö")],
    [join(ip(), header("x-tenant")), keyOf.join(address, tenant)],
    [join(header("x-tenant"), ip()), keyOf.join(tenant, address)],
    [join(ip(), user()), keyOf.join(address, zoe)],
    [join(ip(), header("x-long")), keyOf.join(address, keyOf.header("x-long", long))],
    [join(apiKey(), jwtClaim("sub")), keyOf.join(keyOf.apiKey("k"), keyOf.jwtClaim("sub", "42"))],
    [
      join(ip({ ipv6Prefix: 48 }), () => "a", [() => null, user()]),
      keyOf.join(keyOf.ip(said.peer, { ipv6Prefix: 48 }), "a", zoe),
    ],
    [join(join(ip(), user()), header("x-tenant")), keyOf.join(keyOf.join(address, zoe), tenant)],
    [
      join(join(...Array.from({ length: 20 }, () => ip())), user()),
      keyOf.join(keyOf.join(...Array.from({ length: 20 }, () => address)), zoe),
    ],
    [
      join(
        ip(),
        extractor(() => ({ key: "tenant:ü", verified: true })),
      ),
      keyOf.join(address, "tenant:ü"),
    ],
  ])("gives the key that a request is charged by, %#", (key, given) => {
    const guard = createGuard(bareFramework(), {
      limit: 9,
      window: "1m",
      key,
      unverifiedCeiling: false,
    });
    expect(guard.admit(requestOf(said))).toMatchObject({ decision: { key: given } });
  });

  it("names the parts of join, and what is none of them", () => {
    expect(keyOf.join("ip:192.0.2.1", "user:42")).toBe("join:12:ip:192.0.2.17:user:42");
    expect(keyOf.join(keyOf.ip("192.0.2.1"), zoe)).toBe(`join:12:ip:192.0.2.1${zoe.length}:${zoe}`);
    const rows: [unknown[], string][] = [
      [[], "keyOf.join(keys): expected two keys or more, received an array of 0"],
      [["a"], "keyOf.join(keys): expected two keys or more, received an array of 1"],
      [["a", ""], 'keyOf.join(keys)[1]: expected a non-empty string, received ""'],
      [[7, "a"], "keyOf.join(keys)[0]: expected a non-empty string, received 7"],
      [["a", undefined], "keyOf.join(keys)[1]: expected a non-empty string, received undefined"],
      [
        [["a", "b"], "c"],
        "keyOf.join(keys)[0]: expected a non-empty string, received an array of 2",
      ],
      [[ip(), "c"], "keyOf.join(keys)[0]: expected a non-empty string, received"],
    ];
    for (const [keys, told] of rows) {
      expect(() => keyOf.join(...(keys as string[]))).toThrow(told);
      expect(() => keyOf.join(...(keys as string[]))).toThrow(
        expect.objectContaining({ code: "ERR_INVALID_CONFIG" }),
      );
    }
  });

  it.each([
    ["header", "a b", "x", "keyOf.header(name): expected the name of a header field"],
    ["header", 7, "x", "keyOf.header(name): expected the name of a header field"],
    ["header", "x-a", "", "keyOf.header(value): expected a non-empty string"],
    ["header", "x-a", undefined, "keyOf.header(value): expected a non-empty string"],
    ["jwtClaim", "", "x", "keyOf.jwtClaim(name): expected the name of a claim"],
    ["jwtClaim", "sub", 42, "keyOf.jwtClaim(value): expected a non-empty string, received 42"],
  ] as const)("refuses %s(%j, %j)", (name, first, second, told) => {
    expect(() => keyOf[name](first as string, second as string)).toThrow(told);
    expect(() => keyOf[name](first as string, second as string)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_CONFIG" }),
    );
  });

  it("refuses an empty id, and a prefix that is none", () => {
    expect(() => keyOf.user("")).toThrow("a non-empty string");
    expect(() => keyOf.apiKey("")).toThrow("a non-empty string");
    for (const ipv6Prefix of [0, 31, 129, 56.5, "64"]) {
      expect(() => keyOf.ip("::1", { ipv6Prefix: ipv6Prefix as number })).toThrow(/^ipv6Prefix: /);
    }
    expect(() => keyOf.ip("::1", { ipv6prefix: 64 } as never)).toThrow("did you mean ipv6Prefix?");
  });
});
