import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { parseAddress } from "./address.ts";
import { type Cidr, holdsIpv4, holdsIpv6, parseCidr } from "./cidr.ts";
import { cidrSet } from "./cidr-set.ts";
import { readIpv4 } from "./ipv4.ts";
import { readIpv6 } from "./ipv6.ts";

const setOf = (...texts: string[]) =>
  cidrSet(texts.map((text, id) => [parseCidr(text) as Cidr, id] as const));

describe("cidrSet", () => {
  const set = setOf(
    "10.0.0.0/8",
    "10.1.0.0/16",
    "192.0.2.7",
    "2001:db8::/32",
    "2001:db8:1::/48",
    "::1",
    "::ffff:198.51.100.0/120",
    "0.0.0.0/2",
    "fe80::/10",
  );

  it.each([
    ["10.0.0.0", 0],
    ["10.255.255.255", 0],
    ["10.1.2.3", 0],
    ["9.255.255.255", 7],
    ["63.255.255.255", 7],
    ["64.0.0.0", -1],
    ["192.0.2.7", 2],
    ["192.0.2.8", -1],
    ["255.255.255.255", -1],
    ["198.51.100.200", 6],
    ["2001:db8:1::9", 3],
    ["2001:db7:ffff::", -1],
    ["2001:db9::", -1],
    ["::1", 5],
    ["::2", -1],
    ["febf::1", 8],
    ["fec0::1", -1],
    ["64:ff9b::10.1.1.1", 0],
    ["64:ff9b::4100:0", -1],
    ["no address", -1],
    ["", -1],
  ])("has %s in %i", (address, id) => {
    expect(set.find(parseAddress(address) ?? address)).toBe(id);
  });

  it("answers the least number of all that hold an address, whatever their size", () => {
    expect(setOf("10.1.0.0/16", "10.0.0.0/8", "10.1.1.1").find("10.1.1.1")).toBe(0);
    expect(setOf("10.1.1.1", "10.0.0.0/8", "10.1.1.1").find("10.1.1.1")).toBe(0);
    expect(
      setOf("10.2.0.0/16", "::/0", "64:ff9b::/96", "10.0.0.0/8").find("64:ff9b::a01:101"),
    ).toBe(1);
    expect(setOf("10.0.0.0/8", "::/0").find("64:ff9b::a01:101")).toBe(0);
    expect(setOf().find("10.1.1.1")).toBe(-1);
  });

  const ipv4 = fc
    .tuple(
      fc.constantFrom(10, 11, 128, 255),
      fc.constantFrom(0, 1, 255),
      fc.constantFrom(0, 7),
      fc.nat(3),
    )
    .map((parts) => parts.join("."));
  const ipv6 = fc
    .array(fc.constantFrom("0", "1", "8000", "ffff"), { minLength: 8, maxLength: 8 })
    .map((groups) => ipaddr.parse(groups.join(":")).toString());
  const network = fc.oneof(
    fc.tuple(ipv4, fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`),
    fc.tuple(ipv6, fc.nat(128)).map(([address, prefix]) => `${address}/${prefix}`),
  );

  it("agrees with asking one network after another", () => {
    fc.assert(
      fc.property(fc.array(network, { maxLength: 40 }), fc.oneof(ipv4, ipv6), (networks, text) => {
        const cidrs = networks
          .map((one) => parseCidr(one))
          .filter((one) => typeof one !== "string");
        const address = parseAddress(text)!;
        const set = cidrSet(cidrs.map((cidr, id) => [cidr, id] as const));
        expect(set.find(address)).toBe(cidrs.findIndex((cidr) => holds(cidr, address)));
      }),
      { numRuns: 2000 },
    );
  });
});

function holds(cidr: Cidr, address: string): boolean {
  const bits = readIpv4(address, 0, address.length);
  if (bits >= 0) return holdsIpv4(cidr, bits);
  const groups = new Uint16Array(8);
  return readIpv6(address, 0, address.length, groups) && holdsIpv6(cidr, groups);
}
