import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { parseAddress } from "./address.ts";
import { cidrProblem, hopsProblem, trustedProxies } from "./trusted-proxies.ts";

describe("trustedProxies", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.255.255.255", true],
    ["128.0.0.0", false],
    ["126.255.255.255", false],
    ["::1", true],
    ["::2", false],
    ["::", false],
    ["0.0.0.0", false],
    ["10.0.0.0", true],
    ["10.255.255.255", true],
    ["9.255.255.255", false],
    ["11.0.0.0", false],
    ["172.15.255.255", false],
    ["172.16.0.0", true],
    ["172.31.255.255", true],
    ["172.32.0.0", false],
    ["192.167.255.255", false],
    ["192.168.0.0", true],
    ["192.169.0.0", false],
    ["169.254.0.1", true],
    ["169.255.0.1", false],
    ["100.64.0.1", false],
    ["198.51.100.7", false],
    ["203.0.113.1", false],
    ["fc00::1", true],
    ["fdff:ffff::1", true],
    ["fbff::1", false],
    ["fe00::1", false],
    ["fe80::1", true],
    ["fe80::1%eth0", true],
    ["febf::1", true],
    ["fec0::1", false],
    ["2001:db8::1", false],
    ["::ffff:10.0.0.1", true],
    ["::ffff:a00:1", true],
    ["::ffff:192.0.2.1", false],
    ["::10.0.0.1", false],
    ["64:ff9b::10.0.0.1", false],
    ["2002:a00:1::1", false],
  ])("by itself: %s is trusted: %s", (text, trusted) => {
    expect(trustedProxies("auto").trusts(parseAddress(text), 0)).toBe(trusted);
  });

  it("trusts nobody where it is off, and nobody with an empty list", () => {
    for (const trust of [trustedProxies(false), trustedProxies([])]) {
      expect(trust.trusts("127.0.0.1", 0)).toBe(false);
      expect(trust.trusts("::1", 0)).toBe(false);
      expect(trust.trusts(undefined, 0)).toBe(false);
    }
  });

  it("trusts a number of hops, whoever they are", () => {
    const trust = trustedProxies(2);
    expect(trust.hops).toBe(2);
    expect([0, 1, 2, 3].map((hop) => trust.trusts("203.0.113.1", hop))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(trust.trusts(undefined, 0)).toBe(true);
  });

  it("does not trust a peer without an address by its address", () => {
    expect(trustedProxies("auto").trusts(undefined, 0)).toBe(false);
    expect(trustedProxies(["0.0.0.0/0", "::/0"]).trusts(undefined, 0)).toBe(false);
  });

  it("knows names and addresses in a list", () => {
    const trust = trustedProxies(["loopback", " 203.0.113.0/24 ", "2001:db8::7"]);
    expect(trust.trusts("127.0.0.1", 0)).toBe(true);
    expect(trust.trusts("203.0.113.200", 0)).toBe(true);
    expect(trust.trusts("2001:db8::7", 0)).toBe(true);
    expect(trust.trusts("2001:db8::8", 0)).toBe(false);
    expect(trust.trusts("10.0.0.1", 0)).toBe(false);
  });

  it("keeps IPv4 and IPv6 networks apart", () => {
    expect(trustedProxies(["::/0"]).trusts("203.0.113.1", 0)).toBe(false);
    expect(trustedProxies(["::/0"]).trusts("2001:db8::1", 0)).toBe(true);
    expect(trustedProxies(["0.0.0.0/0"]).trusts("203.0.113.1", 0)).toBe(true);
    expect(trustedProxies(["0.0.0.0/0"]).trusts("2001:db8::1", 0)).toBe(false);
  });

  it("takes a mapped network for the IPv4 network of its bits (CVE-2026-90711, CVE-2026-92395)", () => {
    for (const network of ["::ffff:10.0.0.0/104", "::ffff:a00:0/104"]) {
      const trust = trustedProxies([network]);
      expect(trust.trusts("10.9.9.9", 0)).toBe(true);
      expect(trust.trusts("11.0.0.1", 0)).toBe(false);
      expect(trust.trusts("203.0.113.1", 0)).toBe(false);
    }
    expect(trustedProxies(["::ffff:10.0.0.1"]).trusts("10.0.0.1", 0)).toBe(true);
    expect(() => trustedProxies(["::ffff:10.0.0.0/8"])).toThrow(RangeError);
    expect(() => trustedProxies(["::ffff:10.0.0.0/95"])).toThrow("a prefix of 96 to 128 bits");
  });

  it("refuses a zone, which would be trusted on every interface (CVE-2026-121192)", () => {
    expect(() => trustedProxies(["fe80::1%eth0"])).toThrow("an address without a zone");
    expect(() => trustedProxies(["fe80::%eth0/10"])).toThrow("an address without a zone");
  });

  it("matches what ipaddr.js matches", () => {
    const ipv4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }));
    const ipv6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 0, max: 128 }));
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), ([base, other, prefix], shared) => {
        const network = parseAddress(base)!;
        const address = mix(network, parseAddress(other)!, shared);
        fc.pre(address !== undefined && network.includes(":") === address.includes(":"));
        fc.pre(network.includes(":") || prefix <= 32);
        const cidr = `${network}/${prefix}`;
        const trusted = ipaddr.parse(address!).match(ipaddr.parseCIDR(cidr));
        expect(trustedProxies([cidr]).trusts(address, 0)).toBe(trusted);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("cidrProblem", () => {
  it.each([
    "10.0.0.0/8",
    "10.1.2.3/8",
    "10.0.0.1",
    "0.0.0.0/0",
    "::/0",
    "::1",
    "fc00::/7",
    "2001:db8::/128",
    "loopback",
    "linklocal",
    "uniquelocal",
    " 10.0.0.0/8",
  ])("has nothing against %j", (entry) => {
    expect(cidrProblem(entry)).toBeUndefined();
  });

  it.each([
    "",
    "/",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/+8",
    "10.0.0.0/08",
    "10.0.0.0/8.5",
    "10.0.0.0/0x8",
    "10.0.0.0/ 8",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "10.0.0/8",
    "10.0.0.0:80",
    "10.0.0.0/8,127.0.0.1",
    "010.0.0.0/8",
    "::1/129",
    "[::1]",
    "[::1]/128",
    "::ffff:10.0.0.0/8",
    "::ffff:0:0/95",
    "fe80::1%eth0",
    "localhost",
    "Loopback",
    "auto",
    "true",
    "constructor",
    "__proto__",
    "toString",
    "10.0.0.0/8\u{1f4a9}",
    "\u{1f4a9}",
    "1".repeat(65_536),
    `10.0.0.0/8${" ".repeat(65_536)}`,
  ])("names what it expected and received for %j", (entry) => {
    const problem = cidrProblem(entry)!;
    expect(problem).toMatch(/^expected an? .+, received "/);
    expect(problem.length).toBeLessThan(220);
    expect(() => trustedProxies([entry])).toThrow(problem);
  });
});

describe("hopsProblem", () => {
  it("takes whole numbers from 1", () => {
    expect(hopsProblem(1)).toBeUndefined();
    expect(hopsProblem(10)).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("refuses %d", (hops) => {
    expect(hopsProblem(hops)).toBe(`expected a whole number of hops, 1 or more, received ${hops}`);
    expect(() => trustedProxies(hops)).toThrow(RangeError);
  });
});

/** Joins the first `shared` bits of one address and the rest of another. */
function mix(one: string, other: string, shared: number): string | undefined {
  const [first, second] = [ipaddr.parse(one).toByteArray(), ipaddr.parse(other).toByteArray()];
  if (first.length !== second.length) return undefined;
  const bytes = first.map((byte, at) => {
    const kept = Math.min(8, Math.max(0, shared - at * 8));
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) | (second[at]! & ~mask);
  });
  return parseAddress(ipaddr.fromByteArray(bytes).toString());
}
