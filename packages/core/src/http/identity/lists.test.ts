import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { BareRequest } from "../../../test/http-scenarios/bare-server.ts";
import { callOf, type Said } from "../../../test/http-scenarios/requests.ts";
import { ConfigError } from "../../errors.ts";
import { checkOptions } from "../../options/check-options.ts";
import { keyOf } from "./key-of.ts";
import { allowSchema, denySchema, type Listed } from "./list-entry.ts";
import { compileLists } from "./lists.ts";

type Given = Parameters<typeof compileLists>[0];

const before = (given: Given, said: Said = {}, keys: readonly string[] = []) =>
  compileLists(given, "")?.before(callOf(said), () => keys);
const list = async (given: Given, said: Said = {}, keys: readonly string[] = []) =>
  (await before(given, said, keys))?.list;

describe("an entry", () => {
  it.each<[Listed<never>, Said, string[], boolean]>([
    ["192.0.2.1", { peer: "192.0.2.1" }, [], true],
    ["192.0.2.1", { peer: "::ffff:192.0.2.1" }, [], true],
    ["::ffff:192.0.2.0/120", { peer: "192.0.2.1" }, [], true],
    ["192.0.2.1", { peer: "192.0.2.2" }, [], false],
    ["192.0.2.0/24", { peer: "192.0.2.2" }, [], true],
    ["2001:db8::/32", { peer: "2001:db8:1::1" }, [], true],
    ["0.0.0.0/0", { peer: undefined }, [], false],
    ["192.0.2.1", { headers: { "x-forwarded-for": "192.0.2.1" } }, [], true],
    ["64:ff9b::192.0.2.1", { peer: "192.0.2.1" }, [], true],
    ["64:ff9b::192.0.2.1", { peer: "64:ff9b::192.0.2.1" }, [], true],
    ["64:ff9b::192.0.2.1", { peer: "192.0.2.2" }, [], false],
    ["64:ff9b::/96", { peer: "192.0.2.1" }, [], false],
    [keyOf.user("ada"), {}, ["user:ada"], true],
    [keyOf.user("Zoë"), {}, [keyOf.user("Zoë")], true],
    [keyOf.ip("2001:db8::1"), {}, ["ip:2001:db8::/64"], true],
    [keyOf.apiKey("secret"), {}, ["ip:192.0.2.1", keyOf.apiKey("secret")], true],
    ["everyone", {}, ["everyone"], true],
    ["user:ada", {}, ["user:bob"], false],
    [{ key: "tenant-7" }, {}, ["tenant-7"], true],
    [{ key: "Zoë" }, {}, ["#0O1hgrh6cHevujaVYyxux0HfGj7bVMeaqskz56ud8iQ"], false],
    [{ key: ["a", "b"] }, {}, ["b"], true],
    [{ cidr: ["192.0.2.1", "10.0.0.0/8"] }, { peer: "10.1.1.1" }, [], true],
    [{ cidr: "10.0.0.0/8", key: "a" }, { peer: "10.1.1.1" }, ["a"], true],
    [{ cidr: "10.0.0.0/8", key: "a" }, { peer: "10.1.1.1" }, ["b"], false],
    [{ cidr: "10.0.0.0/8", key: "a" }, { peer: "192.0.2.1" }, ["a"], false],
    [{ when: () => true }, {}, [], true],
    [{ when: () => false }, {}, [], false],
    [{ when: async () => true }, {}, [], true],
    [{ when: () => null as never }, {}, [], false],
    [{ cidr: "10.0.0.0/8", when: () => true }, { peer: "192.0.2.1" }, [], false],
    [{ key: "a", when: async () => true }, {}, ["a"], true],
  ])("%j holds for %j with keys %j: %s", async (entry, said, keys, holds) => {
    expect(await list({ deny: [entry] }, said, keys)).toBe(holds ? "deny" : undefined);
    expect(await list({ allow: [entry] }, said, keys)).toBe(holds ? "allow" : undefined);
  });
});

describe("lists", () => {
  it("are none where there are no entries", () => {
    expect(compileLists({}, "")).toBeUndefined();
    expect(compileLists({ allow: [], deny: [] }, "")).toBeUndefined();
  });

  it("let whom they allow pass, whatever else they deny", () => {
    const given: Given = { allow: ["10.1.0.0/16"], deny: [{ cidr: "10.0.0.0/8", reason: "no" }] };
    expect(before(given, { peer: "10.1.1.1" })).toEqual({
      list: "allow",
      reason: undefined,
      key: "",
    });
    expect(before(given, { peer: "10.2.1.1" })).toEqual({
      list: "deny",
      reason: "no",
      key: "ip:10.2.1.1",
    });
    expect(before(given, { peer: "192.0.2.1" })).toBeUndefined();
  });

  it("give the reason of the first entry that holds, addresses before keys before functions", async () => {
    const entries: Listed<never>[] = [
      { when: () => true, reason: "function" },
      { key: "b", reason: "key b" },
      { key: ["a", "b"], reason: "key a" },
      { cidr: "10.1.0.0/16", reason: "near" },
      { cidr: "10.0.0.0/8", reason: "far" },
    ];
    const reason = async (peer: string, ...keys: string[]) =>
      (await before({ deny: entries }, { peer }, keys))?.reason;
    expect(await reason("10.1.1.1", "a")).toBe("near");
    expect(await reason("10.2.1.1", "a")).toBe("far");
    expect(await reason("192.0.2.1", "a")).toBe("key a");
    expect(await reason("192.0.2.1", "a", "b")).toBe("key b");
    expect(await reason("192.0.2.1")).toBe("function");
  });

  it("say whom they deny: by the key that is denied, else by the address", async () => {
    const deny: Listed<never>[] = [
      "10.1.0.0/16",
      { key: ["b", "a"] },
      { cidr: "10.2.0.0/16", key: ["c", "d"] },
      { key: "e", when: async () => true },
      { when: () => true },
    ];
    const key = async (peer: string | undefined, ...keys: string[]) =>
      (await before({ deny }, { peer }, keys))?.key;
    expect(await key("10.1.1.1", "a")).toBe("ip:10.1.1.1");
    expect(await key("10.2.1.1", "x", "a")).toBe("a");
    expect(await key("10.2.1.1", "x", "d")).toBe("d");
    expect(await key("192.0.2.1", "e")).toBe("e");
    expect(await key("2001:db8::1")).toBe("ip:2001:db8::/64");
    expect(await key(undefined)).toBe("ip:none");
  });

  it("ask for keys once, and not at all where an address decides or none is named", async () => {
    let asked = 0;
    const keys = async (): Promise<string[]> => {
      asked++;
      return ["a"];
    };
    const given: Given = {
      allow: ["10.0.0.0/8", { key: "b" }, { key: "a", when: () => false }],
      deny: [{ key: "a", cidr: "192.0.2.0/24" }],
    };
    const lists = compileLists(given, "")!;
    expect(lists.before(callOf({ peer: "10.1.1.1" }), keys)).toEqual({
      list: "allow",
      reason: undefined,
      key: "",
    });
    expect(asked).toBe(0);
    expect(await lists.before(callOf({ peer: "192.0.2.1" }), keys)).toMatchObject({ list: "deny" });
    expect(asked).toBe(1);
    await compileLists({ deny: [{ when: () => true }] }, "")!.before(callOf(), keys);
    expect(asked).toBe(1);
  });

  it("look up late entries only when asked to, and say whether there are any", async () => {
    const given: Given = {
      allow: [
        { key: "user:ada", late: true, reason: "staff" },
        { when: async () => true, late: true },
      ],
    };
    const lists = compileLists(given, "")!;
    expect(lists.late).toBe(true);
    expect(lists.before(callOf(), () => ["user:ada"])).toBeUndefined();
    const late = await lists.lateAllow(callOf(), () => ["user:ada"]);
    expect(late).toEqual({ list: "allow", reason: "staff", key: "" });
    expect(await lists.lateAllow(callOf(), () => [])).toEqual({
      list: "allow",
      reason: undefined,
      key: "",
    });
    const early = compileLists({ allow: ["10.0.0.1"] }, "")!;
    expect(early.late).toBe(false);
    expect(early.lateAllow(callOf({ peer: "10.0.0.1" }), () => [])).toBeUndefined();
  });

  it("allow whom a late entry names though he is denied, and look nobody else up", async () => {
    const asked: unknown[] = [];
    const when = ({ method }: BareRequest): boolean => {
      asked.push(method);
      return method === "GET";
    };
    const given: Given = { deny: ["10.0.0.0/8"], allow: [{ when, late: true, reason: "r" }] };
    const before = (peer: string, method: string) =>
      compileLists(given, "")!.before(callOf({ peer, method }), () => []);
    expect(await before("10.0.0.1", "GET")).toEqual({ list: "allow", reason: "r", key: "" });
    expect(await before("10.0.0.1", "PUT")).toMatchObject({ list: "deny" });
    expect(await before("192.0.2.1", "POST")).toBeUndefined();
    expect(asked).toEqual(["GET", "PUT"]);
  });

  it("pass on what a function throws, and refuse what says neither yes nor no", async () => {
    const failing = (when: () => unknown) => before({ deny: ["10.0.0.1", { when } as never] });
    expect(() => failing(() => "yes")).toThrow(/^deny\[1\]\.when: expected true or false/);
    expect(() =>
      failing(() => {
        throw new Error("db");
      }),
    ).toThrow("db");
    await expect(failing(async () => 1)).rejects.toThrow("deny[1].when: expected true or false");
  });

  it("find one of ten thousand networks and keys", () => {
    const text = (i: number): string => `${10 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.0/24`;
    const deny: Listed<never>[] = Array.from({ length: 10_000 }, (_, i) => ({
      cidr: text(i),
      reason: `${i}`,
    }));
    deny.push(
      ...Array.from({ length: 10_000 }, (_, i) => ({ key: `user:${i}`, reason: `key ${i}` })),
    );
    const lists = compileLists({ deny }, "")!;
    const reason = (peer: string, key: string): unknown =>
      (lists.before(callOf({ peer }), () => [key]) as { reason?: string } | undefined)?.reason;
    expect(reason("10.3.4.5", "user:1")).toBe("772");
    expect(reason("10.39.15.255", "user:1")).toBe("9999");
    expect(reason("10.39.16.0", "user:9999")).toBe("key 9999");
    expect(reason("10.39.16.0", "user:10000")).toBeUndefined();
  });
});

describe("the schemas", () => {
  const schema = z.strictObject({ allow: allowSchema.optional(), deny: denySchema.optional() });

  it("take what compiles", () => {
    const allow = ["10.0.0.0/8", { key: "a", late: true, reason: "r" }, { when: () => true }];
    expect(checkOptions(schema, { allow, deny: [] })).toEqual({ allow, deny: [] });
  });

  it.each<[unknown, string]>([
    ["10.0.0.1", "allow: expected a list of addresses"],
    [["10.0.0.0/33"], "allow[0]: expected an address, a network such as 10.0.0.0/8, or a key"],
    [["tenant-7"], "allow[0]: expected an address"],
    [["fe80::1%eth0"], "allow[0]: expected an address"],
    [["fc00::/999"], "allow[0]: expected an address"],
    [["user:"], "allow[0]: expected an address"],
    [["10.0.0.1", 7], "allow[1]: expected a string, or an object with cidr, key or when"],
    [[null], "allow[0]: expected a string, or an object"],
    [[{}], "allow[0]: expected a string, or an object"],
    [[{ reason: "r" }], "allow[0]: expected a string, or an object"],
    [[{ ip: "10.0.0.1" }], "allow[0].ip: expected one of cidr, key, when, late, reason"],
    [[{ cidr: [] }], "allow[0].cidr: expected a network, or a list"],
    [[{ cidr: ["10.0.0.1", "x"] }], "allow[0].cidr[1]: expected an address, or a network"],
    [[{ cidr: 7 }], "allow[0].cidr: expected an address, or a network"],
    [[{ key: "" }], "allow[0].key: expected a non-empty string"],
    [[{ key: [] }], "allow[0].key: expected a key, or a list"],
    [[{ key: ["a", null] }], "allow[0].key[1]: expected a non-empty string"],
    [[{ when: true }], "allow[0].when: expected a function"],
    [[{ key: "a", late: 1 }], "allow[0].late: expected true or false"],
    [[{ key: "a", reason: 1 }], "allow[0].reason: expected a string"],
  ])("refuse %j", (allow, told) => {
    expect(() => checkOptions(schema, { allow })).toThrow(ConfigError);
    expect(() => checkOptions(schema, { allow })).toThrow(told);
    expect(() => compileLists({ allow } as never, "")).toThrow(told);
  });

  it("refuse late entries in deny", () => {
    const deny = [{ key: "a", late: true }];
    expect(() => checkOptions(schema, { deny })).toThrow(
      "deny[0].late: expected this only in allow",
    );
    expect(() => compileLists({ deny }, "x.")).toThrow(
      "x.deny[0].late: expected this only in allow",
    );
  });
});
