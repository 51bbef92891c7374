import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "./address.ts";
import { clientAddress } from "./client-address.ts";
import { type TrustedProxies, type TrustProxy, trustedProxies } from "./trusted-proxies.ts";

const find = (
  trustProxy: TrustProxy,
  peer: string | undefined,
  forwardedFor?: string | readonly string[],
): string | undefined => clientAddress({ peer, forwardedFor, trust: trustedProxies(trustProxy) });

describe("clientAddress", () => {
  it.each<[string, TrustProxy, string | undefined, string | undefined, string | undefined]>([
    ["no header", "auto", "203.0.113.9", undefined, "203.0.113.9"],
    ["no header from a proxy", "auto", "10.0.0.9", undefined, "10.0.0.9"],
    ["a dual-stack peer", "auto", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
    ["a dual-stack proxy", "auto", "::ffff:10.0.0.9", "198.51.100.7", "198.51.100.7"],
    ["a proxy with a zone", "auto", "fe80::9%eth0", "198.51.100.7", "198.51.100.7"],
    ["a public peer", "auto", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["trust turned off", false, "127.0.0.1", "198.51.100.1", "127.0.0.1"],
    ["forged first entries", "auto", "10.0.0.2", "203.0.113.1, 198.51.100.7", "198.51.100.7"],
    ["a chain of proxies", "auto", "127.0.0.1", "198.51.100.7, 10.0.0.5,10.0.0.6", "198.51.100.7"],
    ["an inner client", "auto", "10.0.0.2", "192.168.1.5", "192.168.1.5"],
    ["only proxies", "auto", "10.0.0.2", "10.0.0.4, 10.0.0.3", "10.0.0.4"],
    ["a port", "auto", "10.0.0.2", "198.51.100.7:5555", "198.51.100.7"],
    ["brackets", "auto", "10.0.0.2", "[2001:db8::1]:443", "2001:db8::1"],
    ["a mapped entry", "auto", "10.0.0.2", "::ffff:c633:6407", "198.51.100.7"],
    ["a mapped hop", "auto", "10.0.0.2", "198.51.100.7, ::ffff:a00:5", "198.51.100.7"],
    ["junk", "auto", "10.0.0.2", 'junk" onload', "10.0.0.2"],
    ["junk after a hop", "auto", "10.0.0.2", "198.51.100.7, unknown, 10.0.0.5", "10.0.0.5"],
    ["junk behind the client", "auto", "10.0.0.2", "junk, 198.51.100.7", "198.51.100.7"],
    ["an empty header", "auto", "10.0.0.2", "", "10.0.0.2"],
    ["an empty last entry", "auto", "10.0.0.2", "198.51.100.1, ", "10.0.0.2"],
    ["an empty first entry", "auto", "10.0.0.2", ", 198.51.100.7", "198.51.100.7"],
    ["commas", "auto", "10.0.0.2", ",,,", "10.0.0.2"],
    ["no peer", "auto", undefined, "198.51.100.1", undefined],
    ["a peer that is no address", "auto", "unix:", "198.51.100.1", undefined],
    ["a listed peer", ["203.0.113.0/24"], "203.0.113.9", "198.51.100.7", "198.51.100.7"],
    ["an unlisted peer", ["203.0.113.0/24"], "10.0.0.9", "198.51.100.7", "10.0.0.9"],
    ["one hop", 1, "10.0.0.9", "6.6.6.6, 1.1.1.1, 10.0.0.5", "10.0.0.5"],
    ["two hops", 2, "10.0.0.9", "6.6.6.6, 1.1.1.1, 10.0.0.5", "1.1.1.1"],
    ["three hops", 3, "10.0.0.9", "6.6.6.6, 1.1.1.1, 10.0.0.5", "6.6.6.6"],
    ["too few entries", 4, "10.0.0.9", "6.6.6.6, 1.1.1.1, 10.0.0.5", "10.0.0.9"],
    ["hops without a header", 1, "10.0.0.9", undefined, "10.0.0.9"],
    ["hops and an empty header", 1, "10.0.0.9", "", "10.0.0.9"],
    ["hops and a public peer", 1, "203.0.113.9", "198.51.100.7", "198.51.100.7"],
    ["hops and no peer", 1, undefined, "203.0.113.1, 198.51.100.7", "198.51.100.7"],
    ["hops, no peer, too few entries", 2, undefined, "198.51.100.7", undefined],
    ["junk at the hop", 2, "10.0.0.9", "unknown, 10.0.0.5", "10.0.0.5"],
    ["junk before the hop", 2, "10.0.0.9", "198.51.100.7, unknown", "10.0.0.9"],
  ])("%s", (_what, trustProxy, peer, forwardedFor, address) => {
    expect(find(trustProxy, peer, forwardedFor)).toBe(address);
  });

  it("takes several lines for one list", () => {
    expect(find("auto", "10.0.0.2", ["203.0.113.1", "198.51.100.7"])).toBe("198.51.100.7");
    expect(find("auto", "10.0.0.2", ["198.51.100.7, 10.0.0.4", "10.0.0.3"])).toBe("198.51.100.7");
    expect(find("auto", "10.0.0.2", ["198.51.100.7", ""])).toBe("10.0.0.2");
    expect(find("auto", "10.0.0.2", [])).toBe("10.0.0.2");
    expect(find(2, "10.0.0.2", ["198.51.100.7", "10.0.0.3"])).toBe("198.51.100.7");
    expect(find(3, "10.0.0.2", ["198.51.100.7", "10.0.0.3"])).toBe("10.0.0.2");
  });

  it("does as plain splitting does, however the header is cut into lines", () => {
    const entry = fc.oneof(
      fc.constantFrom("10.0.0.1", " 10.0.0.2:80", "::1", "fe80::1%eth0", "::ffff:a00:1"),
      fc.constantFrom("198.51.100.7", " 203.0.113.1 ", "[2001:db8::1]:443"),
      fc.constantFrom("", " ", "unknown", "_secret", "constructor", "1.2.3", "\u{1f4a9}"),
    );
    const lines = fc.array(fc.array(entry, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
    const trust = fc.constantFrom<TrustProxy>(false, "auto", 1, 2, 3, 5, ["198.51.100.0/24"]);
    const peer = fc.constantFrom(undefined, "10.0.0.9", "::1", "203.0.113.9", "198.51.100.9");
    fc.assert(
      fc.property(trust, peer, lines, (trustProxy, peer, lines) => {
        const texts = lines.map((line) => line.join(","));
        const expected = bySplitting(trustedProxies(trustProxy), peer, lines.flat());
        expect(find(trustProxy, peer, texts)).toBe(expected);
        if (texts.length > 0) expect(find(trustProxy, peer, texts.join(", "))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("stops at the 32nd trusted hop", () => {
    const chain = (hops: number) => `198.51.100.7${", 10.0.0.1".repeat(hops)}`;
    expect(find("auto", "10.0.0.2", chain(31))).toBe("198.51.100.7");
    expect(find("auto", "10.0.0.2", chain(32))).toBe("10.0.0.1");
    expect(find(41, "10.0.0.2", chain(40))).toBe("198.51.100.7");
  });

  it("answers from the right end of a huge header", () => {
    for (const text of ["::1,", ",", "1", "10.0.0.1, ", "\u{1f4a9}", " "]) {
      const huge = text.repeat(Math.ceil(65_536 / text.length));
      expect(find("auto", "10.0.0.2", `${huge},198.51.100.7`)).toBe("198.51.100.7");
      expect(find("auto", "10.0.0.2", `198.51.100.7,${huge}`)).not.toBe("198.51.100.7");
    }
    expect(find(1, "10.0.0.2", "1".repeat(65_536))).toBe("10.0.0.2");
    expect(find(2 ** 40, "10.0.0.2", "::1,".repeat(16_384))).toBe("10.0.0.2");
  });
});

function bySplitting(
  trust: TrustedProxies,
  peer: string | undefined,
  entries: readonly string[],
): string | undefined {
  let address = parseAddress(peer);
  for (let hop = 0; trust.trusts(address, hop); hop++) {
    if (hop === entries.length) return trust.hops === undefined ? address : parseAddress(peer);
    const next = parseAddress(entries[entries.length - 1 - hop]);
    if (next === undefined) return address;
    address = next;
  }
  return address;
}
