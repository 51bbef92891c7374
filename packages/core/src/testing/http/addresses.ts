import type { ProxyHeader, TrustProxy } from "../../http/index.ts";
import { assert } from "../assert.ts";
import type { Define } from "./group.ts";
import { perMinute } from "./policy.ts";
import type { Ask } from "./site.ts";

/**
 * Defines tests of the address that a request is counted by. Needs clients from any address: in memory only. Without
 * `hasTrust`, omits the tests of an application's own trust.
 */
export function addresses(define: Define, hasTrust: boolean): void {
  /** The expected key, by options and the application's own trust. */
  const rows: readonly {
    readonly says: string;
    readonly trustProxy?: TrustProxy | "framework";
    readonly trust?: "one-hop" | "everybody";
    readonly peer: string | undefined;
    readonly forwarded?: string | readonly string[];
    readonly counts: string;
  }[] = [
    { says: "the peer", peer: "203.0.113.9", counts: "203.0.113.9" },
    { says: "a mapped peer by its bits", peer: "::ffff:203.0.113.9", counts: "203.0.113.9" },
    { says: "an IPv6 peer by its network", peer: "2001:db8:1:2::1", counts: "2001:db8:1:2::/64" },
    {
      says: "the peer where a public one forwards",
      peer: "203.0.113.9",
      forwarded: "198.51.100.7",
      counts: "203.0.113.9",
    },
    {
      says: "whom a private peer names last",
      peer: "10.0.0.2",
      forwarded: "203.0.113.1, 198.51.100.7",
      counts: "198.51.100.7",
    },
    {
      says: "the first that is not private, from the right",
      peer: "127.0.0.1",
      forwarded: "203.0.113.1, 198.51.100.7, 192.168.1.1, 10.0.0.5",
      counts: "198.51.100.7",
    },
    {
      says: "one list in several lines",
      peer: "::1",
      forwarded: ["203.0.113.1", "198.51.100.7, 10.0.0.5"],
      counts: "198.51.100.7",
    },
    {
      says: "an address without its port",
      peer: "10.0.0.2",
      forwarded: "198.51.100.7:41234",
      counts: "198.51.100.7",
    },
    {
      says: "an address without its brackets",
      peer: "10.0.0.2",
      forwarded: "[2001:db8:1:2::7]:443",
      counts: "2001:db8:1:2::/64",
    },
    {
      says: "the peer where the text is no address",
      peer: "10.0.0.2",
      forwarded: "unknown",
      counts: "10.0.0.2",
    },
    {
      says: "the peer where nobody is trusted",
      trustProxy: false,
      peer: "10.0.0.2",
      forwarded: "198.51.100.7",
      counts: "10.0.0.2",
    },
    {
      says: "the last but one with two hops",
      trustProxy: 2,
      peer: "203.0.113.9",
      forwarded: "203.0.113.1, 198.51.100.7, 203.0.113.8",
      counts: "198.51.100.7",
    },
    {
      says: "the peer where hops are missing",
      trustProxy: 2,
      peer: "203.0.113.9",
      forwarded: "198.51.100.7",
      counts: "203.0.113.9",
    },
    {
      says: "whom a listed proxy names",
      trustProxy: ["203.0.113.0/24"],
      peer: "203.0.113.9",
      forwarded: "192.0.2.1, 198.51.100.7",
      counts: "198.51.100.7",
    },
    {
      says: "the peer where it is not listed",
      trustProxy: ["203.0.113.0/24"],
      peer: "10.0.0.2",
      forwarded: "198.51.100.7",
      counts: "10.0.0.2",
    },
    {
      says: "the application's own answer, which is one hop",
      trust: "one-hop",
      peer: "203.0.113.9",
      forwarded: "203.0.113.1, 198.51.100.7",
      counts: "198.51.100.7",
    },
    {
      says: "the options' answer before the application's",
      trust: "everybody",
      trustProxy: false,
      peer: "203.0.113.9",
      forwarded: "198.51.100.7",
      counts: "203.0.113.9",
    },
    {
      says: "the framework's answer where it is asked for",
      trustProxy: "framework",
      peer: "10.0.0.2",
      forwarded: "198.51.100.7",
      counts: "10.0.0.2",
    },
    { says: "all without an address as one", peer: undefined, counts: "none" },
    {
      says: "all without an address as one, whatever they forward",
      peer: undefined,
      forwarded: "198.51.100.7",
      counts: "none",
    },
  ];

  for (const { says, trustProxy, trust, peer, forwarded, counts } of rows) {
    if (trust && !hasTrust) continue;
    define(`counts ${says}`, async ({ serve }) => {
      const seen: string[] = [];
      const site = await serve(
        {
          ...perMinute(9),
          ...(trustProxy === undefined ? {} : { trustProxy }),
          onDecision: ({ key }) => seen.push(key),
        },
        { trust },
      );
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      assert.equal((await site.get("/", { peer, headers })).status, 200);
      assert.deepEqual(seen, [`ip:${counts}`]);
    });
  }

  define("reads no other header for an address", async ({ serve }) => {
    const site = await serve(perMinute(1));
    const names = ["forwarded", "x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip"];
    const asks = names.map((name): Ask => {
      const value = name === "forwarded" ? "for=198.51.100.7" : "198.51.100.7";
      return { peer: "10.0.0.2", headers: { [name]: value } };
    });
    assert.deepEqual(await site.statuses(asks), [200, 429, 429, 429, 429]);
  });

  define("reads the header that the options name, of whose word counts", async ({ serve }) => {
    const header = "CF-Connecting-IP";
    const rows: readonly (readonly [ProxyHeader, string, Record<string, string>, string])[] = [
      [{ header }, "10.0.0.2", { [header]: "198.51.100.7" }, "198.51.100.7"],
      [{ header }, "10.0.0.2", { [header]: "2001:db8:1:2::7" }, "2001:db8:1:2::/64"],
      [{ header }, "203.0.113.9", { [header]: "198.51.100.7" }, "203.0.113.9"],
      [{ header, from: ["203.0.113.0/24"] }, "203.0.113.9", { [header]: "1.1.1.1" }, "1.1.1.1"],
      [{ header, from: ["203.0.113.0/24"] }, "10.0.0.2", { [header]: "1.1.1.1" }, "10.0.0.2"],
      [{ header, from: 1 }, "203.0.113.9", { [header]: "198.51.100.7" }, "198.51.100.7"],
      [{ header }, "10.0.0.2", { [header]: "6.6.6.6, 198.51.100.7" }, "10.0.0.2"],
      [{ header }, "10.0.0.2", { [header]: "unknown" }, "10.0.0.2"],
      [{ header }, "10.0.0.2", { "x-forwarded-for": "198.51.100.7" }, "10.0.0.2"],
    ];
    for (const [trustProxy, peer, headers, counts] of rows) {
      const seen: string[] = [];
      const options = { ...perMinute(9), trustProxy };
      const site = await serve({ ...options, onDecision: ({ key }) => seen.push(key) });
      await site.get("/", { peer, headers });
      assert.deepEqual(seen, [`ip:${counts}`]);
    }
  });

  define(
    "warns once of a field that it does not read, where nothing else is told",
    async (tools) => {
      const site = await tools.serve(perMinute(9));
      const forwardedFor = { "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7" };
      await site.get("/", { peer: "10.0.0.2", headers: forwardedFor });
      await site.get("/", { peer: "203.0.113.9", headers: { "x-real-ip": "198.51.100.7" } });
      assert.deepEqual(tools.warnings, []);
      for (const name of ["x-real-ip", "forwarded"]) {
        await site.get("/", { peer: "10.0.0.2", headers: { [name]: "198.51.100.7" } });
      }
      assert.deepEqual(tools.warnings, ["SPILLWAY_FORWARDED_IGNORED"]);
    },
  );

  define("masks IPv6 by the prefix of the options", async ({ serve }) => {
    const from = (peer: string): Ask => ({ peer });
    const site = await serve({ ...perMinute(1), ipv6Prefix: 56 });
    assert.deepEqual(
      await site.statuses([
        from("2001:db8:1:1200::1"),
        from("2001:db8:1:12ff::1"),
        from("2001:db8:1:1300::1"),
      ]),
      [200, 429, 200],
    );
  });

  define("warns of what looks unsafe once, and serves all the same", async (tools) => {
    const rows = [
      ["SPILLWAY_TRUSTS_EVERYBODY", { trust: "everybody" }, "203.0.113.9"],
      ["SPILLWAY_FORWARDED_IGNORED", { trust: undefined }, "203.0.113.9"],
      ["SPILLWAY_NO_ADDRESS", { trust: undefined }, undefined],
    ] as const;
    for (const [code, plan, peer] of rows) {
      if (plan.trust && !hasTrust) continue;
      const site = await tools.serve({ ...perMinute(2), name: code }, plan);
      const ask = { peer, headers: { "x-forwarded-for": "198.51.100.7" } };
      assert.deepEqual(await site.statuses([ask, ask, ask]), [200, 200, 429]);
      assert.equal(tools.warnings.filter((warned) => warned === code).length, 1, code);
    }
  });
}
