import { describe, expect, it } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { callOf, requestOf } from "../../../test/http-scenarios/requests.ts";
import { requestContexts } from "../request-context.ts";
import { extractor, extractorOf, isExtractor, textOf } from "./extractor.ts";
import { ip } from "./extractors.ts";

describe("extractor", () => {
  it("is known by its mark, and frozen", () => {
    const made = extractor(() => undefined);
    expect(isExtractor(made)).toBe(true);
    expect(Object.isFrozen(made)).toBe(true);
    for (const other of [undefined, null, "ip", () => "x", { identify: () => undefined }]) {
      expect(isExtractor(other)).toBe(false);
    }
  });

  it("is known across copies of the package", () => {
    const copy = { kind: "extractor", identify: () => undefined };
    expect(isExtractor(copy)).toBe(true);
  });
});

describe("extractorOf", () => {
  const context = callOf({ peer: "192.0.2.1" });
  const key = (option: Parameters<typeof extractorOf>[0]) =>
    extractorOf(option, "key").identify(context);

  it("leaves a user's own text as it is", () => {
    expect(key(() => "tenant-7")).toEqual({ key: "tenant-7", verified: true });
  });

  it.each([
    "ip:none",
    "ip:192.0.2.1",
    "user:1",
    "key:x",
    "header:x",
    "claim:x",
    "route:x",
    "join:1:a",
    "text:x",
    "everyone",
    "#abc",
  ])("keeps %j out of the extractors' namespaces", (text) => {
    expect(key(() => text)).toEqual({ key: `text:${text}`, verified: true });
  });

  it.each(["ip", "ipx:", "Everyone", "everyone:", " ip:none", "users:1"])(
    "leaves %j alone, which no extractor gives",
    (text) => {
      expect(key(() => text)).toEqual({ key: text, verified: true });
    },
  );

  it.each([undefined, null, ""])("takes %j for nobody", async (value) => {
    expect(key(() => value)).toBeUndefined();
    expect(await key(async () => value)).toBeUndefined();
  });

  it.each([
    [0],
    [7],
    [Number.NaN],
    [true],
    [false],
    [{}],
    [["a"]],
    [Symbol("s")],
    [1n],
    [() => "a"],
  ])("refuses %p, which is no text", async (value) => {
    const expected = /^key: expected a string, or null, undefined or "" for none/;
    expect(() => key(() => value as never)).toThrow(expected);
    await expect(key(async () => value as never)).rejects.toThrow(expected);
  });

  it("asks a list in order, and stops at the first that answers", async () => {
    const asked: string[] = [];
    const one = (name: string, answer: string | null) => () => {
      asked.push(name);
      return answer;
    };
    expect(key([one("a", null), one("b", "found"), one("c", "never")])).toEqual({
      key: "found",
      verified: true,
    });
    expect(asked).toEqual(["a", "b"]);
    const later = [async () => null, () => undefined, async () => "late", one("d", "never")];
    expect(await key(later)).toEqual({ key: "late", verified: true });
    expect(asked).toEqual(["a", "b"]);
    expect(key([() => null, ip()])).toEqual({ key: "ip:192.0.2.1", verified: true });
    expect(key([() => null, () => ""])).toBeUndefined();
  });
});

describe("a key that is an address as it stands", () => {
  it.each([
    ["2001:db8:1:2::1", true],
    ["::ffff:192.0.2.1", true],
    ["192.0.2.1:51234", true],
    ["2001:db8:1:2::/64", false],
    ["192.0.2.1", false],
    ["order:42", false],
    ["00:1a:2b:3c:4d:5e", false],
    ["10:30", false],
  ])("(%s) is warned of: %s", (text, told) => {
    const codes: string[] = [];
    const options = { trustProxy: "auto", ipv6Prefix: 64 } as const;
    const calls = requestContexts(bareFramework(), options, (code) => codes.push(code));
    expect(extractorOf(() => text, "key").identify(calls(requestOf()))).toMatchObject({
      key: text,
    });
    expect(codes).toEqual(told ? ["SPILLWAY_RAW_ADDRESS"] : []);
  });
});

describe("textOf", () => {
  it("names the path and what arrived", () => {
    expect(() => textOf(7, "policies[1].key")).toThrow(/^policies\[1\]\.key: .* received 7$/);
  });
});
