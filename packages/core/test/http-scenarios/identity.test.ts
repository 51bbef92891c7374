import { expect, it } from "vitest";
import { apiKey, header, ip, join, keyOf, user } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { Store } from "../../src/store.ts";
import type { Ask } from "../../src/testing/http/site.ts";
import { bareSite, clock, minute } from "./bare-site.ts";

const from = (peer: string | undefined): Ask => ({ peer });
const forwarded = (text: string): Ask => ({ headers: { "x-forwarded-for": text } });
const said = (name: string, value: string): Ask => ({ headers: { [name]: value } });

it("B01: counts an IPv6 client by its network, whatever address it takes there", async () => {
  const site = await bareSite({ ...minute, limit: 3 });
  const inside = ["1", "2", "0:0:0:3", "ffff:ffff:ffff:ffff"].map((rest) =>
    from(rest.includes(":") ? `2001:db8:1:2:${rest}` : `2001:db8:1:2::${rest}`),
  );
  expect(await site.statuses(inside)).toEqual([200, 200, 200, 429]);
  const neighbour = await site.get("/", from("2001:db8:1:3::1"));
  expect([neighbour.status, neighbour.headers["x-ratelimit-remaining"]]).toEqual([200, "2"]);
});

it("B02: keeps IPv4 clients apart that come as IPv6, and takes both spellings for one", async () => {
  const site = await bareSite({ ...minute, limit: 2, ipv6Prefix: 56 });
  expect(await site.statuses([from("::ffff:192.0.2.1"), from("::ffff:192.0.2.1")])).toEqual([
    200, 200,
  ]);
  const other = await site.get("/", from("::ffff:192.0.2.2"));
  expect([other.status, other.headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
  expect(await site.statuses([from("192.0.2.1"), from("::ffff:c000:201")])).toEqual([429, 429]);
});

it("B04: takes every spelling of an IPv6 address for one", async () => {
  const site = await bareSite({ ...minute, limit: 1, ipv6Prefix: 128 });
  const spellings = ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "2001:db8:0:0::1", "2001:DB8::0001"];
  expect(await site.statuses(spellings.map(forwarded))).toEqual([200, 429, 429, 429]);
});

it("B05: drops zones, and lets no text that is no address become a key", async () => {
  const texts = ["not-an-ip", "", "1.2.3", "999.1.1.1", "x".repeat(4000)];
  expect(["fe80::1%eth0", "fe80::1%eth0.100"].map((text) => keyOf.ip(text))).toEqual(
    Array(2).fill("ip:fe80::/64"),
  );
  expect(texts.map((text) => keyOf.ip(text))).toEqual(Array(5).fill("ip:none"));
  const site = await bareSite({ ...minute, limit: 2 });
  const zones = [from("fe80::1%eth0"), from("fe80::1%eth0.100"), from("fe80::1")];
  expect(await site.statuses(zones)).toEqual([200, 200, 429]);
  expect(await site.statuses(texts.map(forwarded))).toEqual([200, 200, 429, 429, 429]);
});

it("B06: masks by prefixes of any length, and refuses lengths that are none", async () => {
  const rows = [
    [56, "2001:db8:1:1200::1", "2001:db8:1:12ff::1", "2001:db8:1:1300::1"],
    [60, "2001:db8:1:12f0::1", "2001:db8:1:12ff::1", "2001:db8:1:12e0::1"],
    [52, "2001:db8:1:1000::", "2001:db8:1:1fff::", "2001:db8:1:2000::"],
  ] as const;
  for (const [ipv6Prefix, ...peers] of rows) {
    const site = await bareSite({ ...minute, limit: 1, ipv6Prefix });
    expect(await site.statuses(peers.map(from))).toEqual([200, 429, 200]);
  }
  for (const ipv6Prefix of [0, 129, -1, Number.NaN, 56.5, "64"]) {
    await expect(
      bareSite({ ...minute, limit: 1, ipv6Prefix: ipv6Prefix as number }),
    ).rejects.toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_CONFIG",
        message: expect.stringContaining("ipv6Prefix: "),
      }),
    );
  }
});

it("B11: counts clients without an address in one reserved bucket, and warns once", async () => {
  const codes: string[] = [];
  const site = await bareSite({
    ...minute,
    limit: 2,
    headers: "draft-8",
    onWarning: ({ code }) => codes.push(code),
  });
  expect(await site.statuses(Array(3).fill(from(undefined)))).toEqual([200, 200, 429]);
  expect(codes).toEqual(["SPILLWAY_NO_ADDRESS"]);
});

it("B12: falls back to the address where an identity is missing", async () => {
  const key = ({ headers }: { headers: Record<string, unknown> }) => headers["x-tenant"];
  const site = await bareSite({ ...minute, limit: 1, key: key as never });
  const asks = ["192.0.2.1", "192.0.2.2", "192.0.2.1"].map(from);
  expect(await site.statuses(asks)).toEqual([200, 200, 429]);
  for (const text of ["undefined", "null", "NaN", "[object Object]"]) {
    expect((await site.limiters[0]!.peek(text)).remaining).toBe(1);
  }
});

it("B13: keeps users apart from addresses and from reserved words", async () => {
  const users = Object.fromEntries(
    ["192.0.2.5", "unknown", "none", "ip:none", "everyone"].map((id) => [id, { id }]),
  );
  const site = await bareSite({ ...minute, limit: 2, key: [user(), ip()] }, { users });
  expect(await site.statuses([from("192.0.2.5"), from("192.0.2.5")])).toEqual([200, 200]);
  expect(await site.statuses([from(undefined), from(undefined)])).toEqual([200, 200]);
  for (const id of Object.keys(users)) {
    const answer = await site.get("/", { peer: "198.51.100.1", headers: { "x-user": id } });
    expect([answer.status, answer.headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
  }
});

it("B14: never mixes the parts of a key, whatever stands in them", async () => {
  const part = (name: string) =>
    user<{ headers: Record<string, string> }>({
      from: ({ headers }) => decodeURIComponent(headers[name] ?? ""),
    });
  const keys: string[] = [];
  const site = await bareSite({
    ...minute,
    limit: 1,
    key: [join(part("x-a"), part("x-b")), part("x-a")],
    onDecision: ({ key }) => keys.push(key),
  });
  const pairs = [
    ["a:b", "c"],
    ["a", "b:c"],
    ["x", ""],
    ["x\n", "y"],
    ["x", "\ny"],
    ["x\0", "y"],
    ["x", "\0y"],
    ["x\r\n", "y"],
    ["x", "\r\ny"],
    ["x%3A", "y"],
    ["x:", "y"],
    ["x y", "z"],
    ["x", " y z"],
  ];
  const asks = pairs.map(([a, b]) => ({
    headers: { "x-a": encodeURIComponent(a!), "x-b": encodeURIComponent(b!) },
  }));
  expect(await site.statuses(asks)).toEqual(Array(pairs.length).fill(200));
  expect(await site.statuses(asks)).toEqual(Array(pairs.length).fill(429));
  expect(new Set(keys).size).toBe(pairs.length);
  for (const key of keys) expect(key).toMatch(/^[\x20-\x7e]{1,200}$/);
});

it("B15: keeps long keys apart, and keeps none of their text", async () => {
  const store = memoryStore({ clock });
  const kept = new Set<string>();
  const watching: Store = {
    ...store,
    take(charges, keep) {
      for (const { key } of charges) kept.add(key);
      return store.take(charges, keep);
    },
  };
  const long = "x".repeat(65_535);
  let text = "";
  const site = await bareSite({ ...minute, limit: 1, store: watching, key: () => text });
  for (const status of [200, 429]) {
    for (const last of ["a", "b"]) {
      text = long + last;
      expect((await site.get()).status).toBe(status);
    }
  }
  const { limiters } = site;
  for (let i = 0; i < 1000; i++) {
    expect((await limiters[0]!.check(`${long}${i}`)).allowed).toBe(true);
  }
  expect(kept.size).toBe(1002);
  for (const key of kept) expect(key.length).toBeLessThanOrEqual(200);
});

it("B16: counts by the whole of an API key", async () => {
  const site = await bareSite({ ...minute, limit: 1, key: apiKey({ verify: () => true }) });
  const keys = ["tenant_live_aaaaaaaa", "tenant_live_bbbbbbbb"];
  const asks = [...keys, ...keys].map((key) => said("x-api-key", key));
  expect(await site.statuses(asks)).toEqual([200, 200, 429, 429]);
});

it("B18: takes a bearer token for one in every spelling of its scheme", async () => {
  const keys: string[] = [];
  const site = await bareSite({
    ...minute,
    limit: 3,
    key: apiKey({ header: "authorization", verify: () => true }),
    onDecision: ({ key }) => keys.push(key),
  });
  const spellings = ["Bearer K-1", "bearer K-1", "BEARER K-1", "Bearer  K-1", "x Bearer K-1"];
  const asks = spellings.map((text) => said("authorization", text));
  expect(await site.statuses(asks)).toEqual([200, 200, 200, 429, 200]);
  expect(keys).toEqual([...Array(4).fill(keyOf.apiKey("K-1")), "ip:127.0.0.1"]);
  expect(keys.join()).not.toContain("K-1");
});

it("B23: takes no value but a string for a key, and never makes one of it", async () => {
  const values: unknown[] = [
    "user@example.test",
    "USER@EXAMPLE.TEST",
    " user@example.test ",
    {},
    { a: 1 },
    ["user@example.test"],
    7,
    "7",
    true,
  ];
  let value: unknown;
  const site = await bareSite({ ...minute, limit: 1, key: () => value as string });
  const statuses: number[] = [];
  for (value of values) statuses.push((await site.get()).status);
  // The application decides whether case and whitespace matter.
  expect(statuses).toEqual([200, 200, 200, 500, 500, 500, 500, 200, 500]);
});

it("B23: tells what arrived in place of a string", async () => {
  const errors: unknown[] = [];
  const site = await bareSite(
    { ...minute, limit: 1, key: () => 7 as never },
    {
      onError(error) {
        errors.push(error);
        return { status: 500, body: "" };
      },
    },
  );
  await site.get();
  expect(errors).toEqual([
    expect.objectContaining({
      code: "ERR_INVALID_CONFIG",
      message: expect.stringMatching(/^key: expected a string.*received 7$/),
    }),
  ]);
});

it("B12, B27: has no bucket of a client's own making where a header is not a key", async () => {
  const site = await bareSite({ ...minute, limit: 1, key: [header("x-tenant"), ip()] });
  expect(await site.statuses([said("x-other", "1"), said("x-other", "2")])).toEqual([200, 429]);
});
