import { describe, expect, it } from "vitest";
import { type BareRequest, bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { requestOf, type Said } from "../../../test/http-scenarios/requests.ts";
import type { Decision } from "../../decision.ts";
import { memoryStore } from "../../memory-store.ts";
import { manualClock } from "../../testing/index.ts";
import { createGuard, type Guard } from "../guard.ts";
import { apiKey, extractor, header, ip, join, jwtClaim, keyOf, user } from "../index.ts";
import type { HttpOptions } from "../options/http-options.ts";

type Options = Partial<HttpOptions<BareRequest>>;

function guardOf(options: Options): Guard<BareRequest> {
  const store = memoryStore({ clock: manualClock() });
  return createGuard(bareFramework(), {
    ...("policies" in options ? {} : { limit: 1, window: "1m", algorithm: "fixed-window" }),
    store,
    onWarning: () => {},
    ...options,
  } as HttpOptions<BareRequest>);
}

async function decide(guard: Guard<BareRequest>, said: Said): Promise<Decision> {
  const verdict = await guard.admit(requestOf(said));
  return (verdict as { decision: Decision }).decision;
}

async function reasonOf(options: Options, said: Said): Promise<string> {
  return (await decide(guardOf(options), said)).reason;
}

const all: Said = {
  peer: "192.0.2.1",
  user: { id: "evil" },
  headers: { "x-api-key": "junk", authorization: "Bearer token", "x-id": "evil" },
};
const each = [keyOf.user("evil"), keyOf.apiKey("junk"), keyOf.ip("192.0.2.1")];

describe("a list's entry for a user, an API key or an address", () => {
  const keys: [string, Options][] = [
    ["the default key", {}],
    ["ip()", { key: ip() }],
    ["user()", { key: user() }],
    ["a function", { key: () => "tenant" }],
    ["a list of which the first answers", { key: [header("x-id"), apiKey(), user()] }],
    ["join()", { key: join(apiKey(), user()) }],
    ["policies", { policies: [{ name: "a", limit: 1, window: "1m", key: () => "a" }] }],
    ["an extractor by hand", { key: extractor(() => ({ key: "a:1", verified: true })) }],
  ];

  it.each(keys)("denies with %s whatever else the request is known by", async (_, options) => {
    for (const key of each) {
      const decision = await decide(guardOf({ ...options, deny: [key] }), all);
      expect(decision).toMatchObject({ allowed: false, reason: "blocked", key });
      expect(await reasonOf({ ...options, deny: [key] }, { peer: "192.0.2.2" })).toBe("ok");
    }
  });

  it.each(keys)("allows with %s, also late", async (_, options) => {
    for (const key of each) {
      expect(await reasonOf({ ...options, allow: [key] }, all)).toBe("skipped");
      const late = guardOf({ ...options, allow: [{ key, late: true }] });
      expect((await decide(late, all)).reason).toBe("ok");
      expect((await decide(late, all)).reason).toBe("skipped");
      const both = { ...options, deny: each, allow: [{ key, late: true }] };
      expect(await reasonOf(both, all)).toBe("skipped");
    }
  });

  it("holds a denied user who sends any API key, verified or not", async () => {
    const deny = [keyOf.user("evil")];
    for (const known of [true, false]) {
      const key = [apiKey({ verify: async () => known }), user()];
      expect(await reasonOf({ deny, key }, all)).toBe("blocked");
    }
  });

  it("asks the policies' own user() and apiKey() in place of the default ones", async () => {
    const mine = user<BareRequest>({ from: ({ headers }) => String(headers["x-id"]) });
    const said: Said = { ...all, user: { id: 7 } };
    expect(await reasonOf({ key: [apiKey(), mine], deny: [keyOf.user("evil")] }, said)).toBe(
      "blocked",
    );
    const bearer = apiKey({ header: "authorization" });
    const key = join(bearer, ip());
    expect(await reasonOf({ key, allow: [keyOf.apiKey("token")] }, all)).toBe("skipped");
    expect(await reasonOf({ key, allow: [keyOf.apiKey("junk")] }, all)).toBe("ok");
  });

  it("allows an API key that nobody verifies, and none that is verified and wrong", async () => {
    const allow = [keyOf.apiKey("junk")];
    expect(await reasonOf({ allow, key: ip() }, all)).toBe("skipped");
    const key = [apiKey({ verify: () => false }), ip()];
    expect(await reasonOf({ allow, key }, all)).toBe("ok");
  });

  it("finds the networks that the policies make of addresses, and every address itself", async () => {
    const key = [user(), ip({ ipv4Prefix: 24 })];
    const network = keyOf.ip("192.0.2.9", { ipv4Prefix: 24 });
    expect(await reasonOf({ key, deny: [network] }, all)).toBe("blocked");
    expect(await reasonOf({ key, deny: [keyOf.ip("192.0.2.1")] }, all)).toBe("blocked");
    expect(await reasonOf({ key: user(), deny: [network] }, all)).toBe("ok");
  });

  it("compares keys of the application's own, which another part would have hidden", async () => {
    const key = [apiKey(), () => "tenant-7"];
    expect(await reasonOf({ key, deny: [{ key: "tenant-7" }] }, all)).toBe("blocked");
  });

  it("compares long keys, which are hashed", async () => {
    const id = "é".repeat(300);
    expect(await reasonOf({ deny: [keyOf.user(id)] }, { ...all, user: { id } })).toBe("blocked");
  });

  it("asks only for what the entries may name", async () => {
    const asked: string[] = [];
    const asking = (name: string) => () => {
      asked.push(name);
      return name;
    };
    const key = [
      user({ from: asking("user") }),
      apiKey({ verify: () => asking("key")() === "" }),
      jwtClaim("sub"),
      asking("function"),
    ];
    const said: Said = { ...all, user: { sub: 7 } };
    const askedFor = async (deny: Options["deny"]) => {
      asked.length = 0;
      await reasonOf({ key, deny }, said);
      return asked.join(" ");
    };
    expect(await askedFor(["10.0.0.1"])).toBe("user");
    expect(await askedFor([keyOf.ip("10.0.0.1")])).toBe("user");
    expect(await askedFor([keyOf.user("7")])).toBe("user user");
    expect(await askedFor([keyOf.apiKey("7")])).toBe("key user");
    expect(await askedFor([{ key: "tenant-7" }])).toBe("function user");
  });
});
