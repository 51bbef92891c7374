import { describe, expect, it } from "vitest";
import { bareFramework } from "../../test/http-scenarios/bare-server.ts";
import { requestOf, type Said } from "../../test/http-scenarios/requests.ts";
import type { Framework } from "./framework.ts";
import { addressKey, type RequestContextOptions, requestContexts } from "./request-context.ts";

function warnings(): { codes: string[]; warn: (code: string) => void } {
  const codes: string[] = [];
  return { codes, warn: (code) => codes.push(code) };
}

const auto: RequestContextOptions = { trustProxy: "auto", ipv6Prefix: 64 };
const forwarded = { headers: { "x-forwarded-for": "198.51.100.1, 198.51.100.2" } };

describe("a call's address", () => {
  const address = (
    framework: Partial<Framework<never>>,
    options: Partial<RequestContextOptions>,
    said: Said,
  ): string | undefined => {
    const whole = { ...bareFramework(), ...framework } as ReturnType<typeof bareFramework>;
    return requestContexts(whole, { ...auto, ...options }, () => {})(requestOf(said)).address();
  };

  it("is looked for once, and only when it is asked for", () => {
    let looked = 0;
    const trust = (): undefined => {
      looked++;
      return undefined;
    };
    const context = requestContexts({ ...bareFramework(), trust }, auto, () => {})(requestOf());
    expect(looked).toBe(0);
    expect([context.address(), context.address()]).toEqual(["127.0.0.1", "127.0.0.1"]);
    expect(looked).toBe(1);
  });

  it("asks the framework only where the application has said whom it trusts", () => {
    const own = { address: () => "198.51.100.77" };
    const peer = { peer: "203.0.113.9", ...forwarded };
    expect(address(own, {}, peer)).toBe("203.0.113.9");
    expect(address({ ...own, trust: () => "own" as const }, {}, peer)).toBe("198.51.100.77");
    expect(address(own, { trustProxy: "framework" }, peer)).toBe("198.51.100.77");
    expect(address({ ...own, trust: () => "own" as const }, { trustProxy: false }, peer)).toBe(
      "203.0.113.9",
    );
  });

  it("counts hops where the framework cannot", () => {
    const peer = { peer: "203.0.113.9", ...forwarded };
    expect(address({ trust: () => 1 }, {}, peer)).toBe("198.51.100.2");
    expect(address({ trust: () => 2 }, {}, peer)).toBe("198.51.100.1");
    expect(address({ trust: () => 3 }, {}, peer)).toBe("203.0.113.9");
  });

  it.each(["unknown", "", 'junk" onload', "1.2.3", undefined])(
    "is the peer where the framework answers %j",
    (text) => {
      const own = { address: () => text, trust: () => "own" as const };
      expect(address(own, {}, { peer: "203.0.113.9" })).toBe("203.0.113.9");
    },
  );

  it("strips what the framework left on it", () => {
    const of = (text: string) =>
      address({ address: () => text, trust: () => "own" as const }, {}, {});
    expect(of("198.51.100.1:5555")).toBe("198.51.100.1");
    expect(of("[2001:DB8::1]:443")).toBe("2001:db8::1");
    expect(of("::ffff:198.51.100.1")).toBe("198.51.100.1");
  });

  it("is nothing for a socket without a peer, and for no socket", () => {
    expect(address({}, {}, { peer: undefined, ...forwarded })).toBeUndefined();
    const req = requestOf();
    Object.defineProperty(req, "socket", { value: null });
    expect(requestContexts(bareFramework(), auto, () => {})(req).address()).toBeUndefined();
  });
});

describe("a call's warnings", () => {
  it("tell of clients without an address", () => {
    const { codes, warn } = warnings();
    requestContexts(bareFramework(), auto, warn)(requestOf({ peer: undefined })).address();
    expect(codes).toEqual(["SPILLWAY_NO_ADDRESS"]);
  });

  it("tell of a header that was ignored, where nobody said whom to trust", () => {
    const public_ = { peer: "203.0.113.9", ...forwarded };
    for (const [trustProxy, told] of [
      ["auto", ["SPILLWAY_FORWARDED_IGNORED"]],
      [["10.0.0.0/8"], []],
      [1, []],
      [false, []],
    ] as const) {
      const { codes, warn } = warnings();
      requestContexts(bareFramework(), { ...auto, trustProxy }, warn)(requestOf(public_)).address();
      expect(codes).toEqual(told);
    }
  });

  it("tell of a neighbour's header that was ignored, since a list left it out", () => {
    for (const [trustProxy, told] of [
      [["173.245.48.0/20"], ["SPILLWAY_FORWARDED_IGNORED"]],
      [["173.245.48.0/20", "loopback"], []],
      [false, []],
    ] as const) {
      const { codes, warn } = warnings();
      const calls = requestContexts(bareFramework(), { ...auto, trustProxy }, warn);
      for (let i = 0; i < 2; i++) calls(requestOf(forwarded)).address();
      expect(codes).toEqual(told);
    }
  });

  it("tell of doubts once, and only where the application's trust is used", () => {
    const { codes, warn } = warnings();
    const calls = requestContexts(bareFramework("everybody"), auto, warn);
    for (let i = 0; i < 3; i++) calls(requestOf(forwarded)).address();
    expect(codes).toEqual(["SPILLWAY_TRUSTS_EVERYBODY"]);
    const own = requestContexts(bareFramework("everybody"), { ...auto, trustProxy: 1 }, warn);
    own(requestOf(forwarded)).address();
    expect(codes).toHaveLength(1);
  });
});

describe("addressKey", () => {
  it("masks, and gives clients without an address one key", () => {
    expect(addressKey("192.0.2.1", 64)).toBe("ip:192.0.2.1");
    expect(addressKey("2001:db8:1:2::1", 56)).toBe("ip:2001:db8:1::/56");
    expect(addressKey(undefined, 64)).toBe("ip:none");
  });
});
