import { describe, expect, it } from "vitest";
import { callOf } from "../../../test/http-scenarios/requests.ts";
import { apiKey } from "./api-key.ts";
import { ip, user } from "./extractors.ts";
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

  it("refuses an empty id, and a prefix that is none", () => {
    expect(() => keyOf.user("")).toThrow("a non-empty string");
    expect(() => keyOf.apiKey("")).toThrow("a non-empty string");
    for (const ipv6Prefix of [0, 31, 129, 56.5, "64"]) {
      expect(() => keyOf.ip("::1", { ipv6Prefix: ipv6Prefix as number })).toThrow(/^ipv6Prefix: /);
    }
    expect(() => keyOf.ip("::1", { ipv6prefix: 64 } as never)).toThrow("did you mean ipv6Prefix?");
  });
});
