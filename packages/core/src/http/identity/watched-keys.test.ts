import { expect, test } from "vitest";
import { createLimiter } from "../../limiter.ts";
import { type Extractor, extractor, extractorOf } from "./extractor.ts";
import { everyone, ip, join, user } from "./extractors.ts";
import { keyOf } from "./key-of.ts";
import { watchKeys } from "./watched-keys.ts";

const address = "2001:db8:0:12::1";
const client = keyOf.ip(address);
const bare = "SPILLWAY_BARE_ADDRESS";
const other = "SPILLWAY_OTHER_PREFIX";
const ownKeys = extractorOf((_: never) => "text", "key");

/** Uses a key in every way, and returns the codes of what was warned of. */
async function codesOf(extractors: Extractor[], ipv6Prefix: number, key: string) {
  const codes: string[] = [];
  const limiter = createLimiter({ limit: 9, window: "1m" });
  const watched = watchKeys(limiter, { extractors, ipv6Prefix }, (code) => codes.push(code));
  await watched.check(key);
  await watched.checkOrThrow(key);
  await watched.peek(key);
  await watched.reset(key);
  return codes;
}

test.each<[string, Extractor[], number, string, string | undefined]>([
  ["the limiter's prefix", [ip()], 64, client, undefined],
  ["another prefix", [ip()], 56, client, other],
  ["another prefix, given by hand", [ip()], 56, keyOf.ip(address, { ipv6Prefix: 56 }), undefined],
  ["a whole address under a prefix", [ip()], 64, keyOf.ip(address, { ipv6Prefix: 128 }), other],
  ["a prefix where whole addresses count", [ip()], 128, client, other],
  ["a whole address where they count", [ip()], 128, `ip:${address}`, undefined],
  ["the prefix of one extractor", [user(), ip({ ipv6Prefix: 48 })], 56, client, other],
  ["the other's", [ip({ ipv6Prefix: 64 }), everyone()], 56, client, undefined],
  ["the limiter's, by ceilings", [ip({ ipv6Prefix: 48 })], 64, client, undefined],
  ["part of a joined key", [join(ip({ ipv6Prefix: 64 }), user())], 56, client, undefined],
  ["an IPv4 address", [ip()], 56, keyOf.ip("192.0.2.1"), undefined],
  ["an IPv4 network", [ip()], 56, keyOf.ip("192.0.2.1", { ipv4Prefix: 24 }), undefined],
  ["the key of those without an address", [ip()], 56, keyOf.ip(undefined), undefined],
  ["a user", [ip(), user()], 56, keyOf.user(client), undefined],
  ["an address as it stands", [ip()], 64, address, bare],
  ["any key of a function", [ip(), ownKeys], 56, client, undefined],
  ["any key of an own extractor", [ip(), extractor(() => undefined)], 56, address, undefined],
])("a limiter used by hand with %s", async (_, extractors, ipv6Prefix, key, code) => {
  const expected = code === undefined ? [] : new Array(4).fill(code);
  expect(await codesOf(extractors, ipv6Prefix, key)).toEqual(expected);
});
