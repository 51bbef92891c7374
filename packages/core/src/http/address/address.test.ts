import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { maskAddress, parseAddress } from "./address.ts";

describe("parseAddress", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["  192.0.2.1\t", "192.0.2.1"],
    ['"192.0.2.1"', "192.0.2.1"],
    ['"192.0.2.1:80"', "192.0.2.1"],
    ["192.0.2.1:555", "192.0.2.1"],
    ["192.0.2.1:0", "192.0.2.1"],
    ["192.0.2.1:65535", "192.0.2.1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ['"[2001:db8::1]:443"', "2001:db8::1"],
    ["[::ffff:192.0.2.1]:443", "192.0.2.1"],
    ["[fe80::1%25eth0]:443", "fe80::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["fe80::1%eth0.100", "fe80::1"],
    ["::ffff:192.0.2.1%eth0", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["::ffff:c000:0201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:c000:201", "192.0.2.1"],
    ["0000:0000::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:0:0", "0.0.0.0"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8:0:0::1", "2001:db8::1"],
    ["2001:DB8::0001", "2001:db8::1"],
    ["2001:db8::192.0.2.1", "2001:db8::c000:201"],
    ["::ffff:0:192.0.2.1", "::ffff:0:c000:201"],
    ["::fffe:192.0.2.1", "::fffe:c000:201"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
    ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"],
  ])("reads %j as %s", (text, address) => {
    expect(parseAddress(text)).toBe(address);
  });

  it.each([
    "",
    " ",
    '"',
    '""',
    '"192.0.2.1',
    "not-an-ip",
    "unknown",
    "_hidden",
    "constructor",
    "__proto__",
    "1.2.3",
    "1.2.3.4.5",
    "999.1.1.1",
    "256.0.0.1",
    "01.2.3.4",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3.4/32",
    "1.2.3.4%eth0",
    "1.2.3.4:",
    "1.2.3.4:65536",
    "1.2.3.4:123456",
    "1.2.3.4:8o",
    "1.2.3.4:80:80",
    "1. 2.3.4",
    "1.2.3.4, 5.6.7.8",
    "-1.2.3.4",
    "1..2.3",
    ".1.2.3.4",
    "1.2.3.4.",
    "[1.2.3.4]",
    "[2001:db8::1",
    "2001:db8::1]",
    "[2001:db8::1]443",
    "[2001:db8::1]:",
    "[2001:db8::1]:_port",
    "[]",
    "[]:443",
    "fe80::1%",
    "fe80::1%a b",
    "fe80::1%é",
    "2001:db8::1/64",
    ":",
    ":1",
    "1:",
    "1:2",
    ":::",
    ":::1",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8::",
    "::1:2:3:4:5:6:7:8",
    "12345::",
    "::12345",
    "::g",
    "::1.2.3",
    "::1.2.3.4.5",
    "::1.2.3.4:5",
    "::01.2.3.4",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1.2.3.4::",
    "１.2.3.4",
    "١.2.3.4",
    "1．2．3．4",
    "::\u{1d7cf}",
    "\u{1f4a9}",
    "\ud800::1",
    "1.2.3.4\0",
  ])("finds no address in %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it("finds no address in what is no text", () => {
    for (const value of [undefined, null, 42, {}, ["192.0.2.1"]]) {
      expect(parseAddress(value as undefined)).toBeUndefined();
    }
  });

  it("finds no address in long text, whatever it begins or ends with", () => {
    const filler = ["1", ":", ".", " ", "[", '"', "%", "::ffff:1.2.3.4%", "\u{1f4a9}", "1.2.3.4,"];
    for (const text of filler) {
      const long = text.repeat(Math.ceil(65_536 / text.length));
      expect(parseAddress(long)).toBeUndefined();
      expect(parseAddress(`192.0.2.1 ${long}`)).toBeUndefined();
      expect(parseAddress(`${long} 192.0.2.1`)).toBeUndefined();
    }
  });

  it("reads a part of a string, and nothing beyond it", () => {
    const text = "9::1,::1:1, 192.0.2.1 ,1::";
    expect(parseAddress(text, 5, 10)).toBe("::1:1");
    expect(parseAddress(text, 5, 8)).toBe("::1");
    expect(parseAddress(text, 11, 22)).toBe("192.0.2.1");
    expect(parseAddress(text, 5, 6)).toBeUndefined();
    expect(parseAddress(text, 5, 5)).toBeUndefined();
    for (let from = 0; from <= text.length; from++) {
      for (let to = from; to <= text.length; to++) {
        expect(parseAddress(text, from, to)).toBe(parseAddress(text.slice(from, to)));
      }
    }
  });

  it("gives every notation of the same bits the same text", () => {
    fc.assert(
      fc.property(groups, fc.infiniteStream(fc.boolean()), (address, coins) => {
        const spelled = spell(address, () => coins.next().value === true);
        const canonical = parseAddress(spelled);
        expect(canonical).toBe(ipaddr.process(spelled).toString());
        expect(parseAddress(canonical)).toBe(canonical);
        expect(parseAddress(`[${spelled}]:443`)).toBe(canonical);
        expect(parseAddress(` "${spelled}%eth0" `)).toBe(canonical);
      }),
    );
  });

  it("takes plain addresses where Node does, and no others", () => {
    const near = fc
      .tuple(
        fc.oneof(fc.ipV4(), fc.ipV6()),
        fc.nat(40),
        fc.constantFrom(..."0159afAFg:. "),
        fc.nat(2),
      )
      .map(([text, at, by, removed]) => text.slice(0, at) + by + text.slice(at + removed));
    const soup = fc.string({ unit: fc.constantFrom(..."0125f:."), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(near, soup, fc.ipV4(), fc.ipV6()), (text) => {
        const plain = text.trim();
        const port = /^([^:]*):\d{1,5}$/.exec(plain);
        const known = isIP(plain) !== 0 || (port !== null && isIP(port[1]!) === 4);
        expect(parseAddress(text) !== undefined).toBe(known);
      }),
      { numRuns: 2000 },
    );
  });

  it("never throws", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."0f:.[]%\"' ,\0\u00e9\ud800") }),
    );
    fc.assert(
      fc.property(text, (text) => {
        const address = parseAddress(text);
        expect(address === undefined || isIP(address) !== 0).toBe(true);
      }),
    );
  });
});

describe("maskAddress", () => {
  it.each([
    ["192.0.2.1", 32, "192.0.2.1"],
    ["192.0.2.1", 128, "192.0.2.1"],
    ["2001:db8:1:2::1", 64, "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", 64, "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", 64, "2001:db8:1:3::/64"],
    ["2001:db8:1:1200::1", 56, "2001:db8:1:1200::/56"],
    ["2001:db8:1:12ff::1", 56, "2001:db8:1:1200::/56"],
    ["2001:db8:1:1300::1", 56, "2001:db8:1:1300::/56"],
    ["2001:db8:1:12f0::1", 60, "2001:db8:1:12f0::/60"],
    ["2001:db8:1:12ff::1", 60, "2001:db8:1:12f0::/60"],
    ["2001:db8:1:12e0::1", 60, "2001:db8:1:12e0::/60"],
    ["2001:db8:1:1000::", 52, "2001:db8:1:1000::/52"],
    ["2001:db8:1:1fff::", 52, "2001:db8:1:1000::/52"],
    ["2001:db8:1:2::1", 32, "2001:db8::/32"],
    ["2001:db8:1:2::1", 33, "2001:db8::/33"],
    ["2001:db8:8000::1", 33, "2001:db8:8000::/33"],
    ["2001:db8::ffff", 127, "2001:db8::fffe/127"],
    ["2001:db8::1", 128, "2001:db8::1"],
    ["fe80::1", 64, "fe80::/64"],
    ["::1", 64, "::/64"],
  ])("masks %s to %i bits as %s", (address, prefix, network) => {
    expect(maskAddress(address, prefix)).toBe(network);
  });

  it("leaves IPv4 clients apart that come as IPv6", () => {
    expect(maskAddress(parseAddress("::ffff:192.0.2.1")!, 56)).toBe("192.0.2.1");
    expect(maskAddress(parseAddress("::ffff:c000:202")!, 56)).toBe("192.0.2.2");
    expect(maskAddress(parseAddress("64:ff9b::192.0.2.1")!, 64)).toBe("192.0.2.1");
    expect(maskAddress(parseAddress("64:ff9b::c000:202")!, 128)).toBe("192.0.2.2");
    expect(maskAddress("64:ff9b:1::c000:202", 64)).toBe("64:ff9b:1::/64");
  });

  it("keeps exactly the first bits, for every prefix", () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 32, max: 127 }), (address, prefix) => {
        const canonical = parseAddress(spell(address, () => false))!;
        fc.pre(canonical.includes(":") && !canonical.startsWith("64:ff9b::"));
        const [network, length] = maskAddress(canonical, prefix).split("/");
        expect(Number(length)).toBe(prefix);
        expect(bitsOf(network!)).toBe(
          (bitsOf(canonical) >> BigInt(128 - prefix)) << BigInt(128 - prefix),
        );
        expect(parseAddress(network) ?? "").toMatch(/^[0-9a-f:.]+$/);
      }),
    );
  });
});

const group = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(0, 0, 0, 1, 0xffff, 0x64, 0xff9b),
);
const groups = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }),
  fc.tuple(group, group).map((last) => [0, 0, 0, 0, 0, 0xffff, ...last]),
);

/** Writes an address in one of its many notations, by coin tosses. */
function spell(address: readonly number[], coin: () => boolean): string {
  const words = address.map((value) => {
    const hex = coin() ? value.toString(16).padStart(4, "0") : value.toString(16);
    return coin() ? hex.toUpperCase() : hex;
  });
  const gap = address.findIndex((value, at) => value === 0 && (at === 0 || coin()));
  let end = gap;
  while (gap >= 0 && end < 8 && address[end] === 0 && (end === gap || coin())) end++;
  const dotted = end <= 6 && coin();
  const tail = address.slice(6).flatMap((value) => [value >> 8, value & 255]);
  const spelled = dotted ? [...words.slice(0, 6), tail.join(".")] : words;
  if (gap < 0 || (dotted && gap >= 6)) return spelled.join(":");
  return `${spelled.slice(0, gap).join(":")}::${spelled.slice(end).join(":")}`;
}

function bitsOf(text: string): bigint {
  return ipaddr.IPv6.parse(text)
    .toByteArray()
    .reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}
