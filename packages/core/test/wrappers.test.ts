import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apiKey, everyone, ip, user } from "../src/http/index.ts";
import { createLimiter, fallbackStore, memoryStore, type Store } from "../src/index.ts";
import { policiesFrom } from "../src/policy-file/index.ts";
import type { Ask } from "../src/testing/http/site.ts";
import { manualClock } from "../src/testing/index.ts";
import { root } from "./docs/page.ts";
import { bareSite, clock, minute } from "./http-scenarios/bare-site.ts";

const from = (peer: string): Ask => ({ peer });

/** Bugs found in code that applications build around limiters, each with what prevents it here. */
describe("bugs of wrappers", () => {
  it.each([
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [1499, 2],
    [59_001, 60],
  ])("Retry-After is rounded down, or is 0: %i ms are %i s", async (ms, seconds) => {
    const site = await bareSite({ ...minute, limit: 1 });
    await site.get("/", from("192.0.2.1"));
    clock.advance(60_000 - ms);
    const refused = await site.get("/", from("192.0.2.1"));
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, String(seconds)]);
    clock.advance(seconds * 1000);
    expect((await site.get("/", from("192.0.2.1"))).status).toBe(200);
  });

  it.each([
    "sliding-window",
    "fixed-window",
    "sliding-log",
    "token-bucket",
    "leaky-bucket",
  ] as const)("the last unit is refused: not by a %s", async (algorithm) => {
    const store = memoryStore({ clock: manualClock() });
    for (const limit of [1, 2, 10]) {
      const limiter = createLimiter({ name: `${limit}`, limit, window: "1m", algorithm, store });
      for (let left = limit - 1; left >= 0; left--) {
        expect(await limiter.check("a")).toMatchObject({ allowed: true, remaining: left });
      }
      expect(await limiter.check("a")).toMatchObject({ allowed: false, remaining: 0 });
    }
    const whole = createLimiter({ name: "whole", limit: 10, window: "1m", algorithm, store });
    expect(await whole.check("a", { cost: 10 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("a reset is written as an epoch where seconds from now are meant, or the other way round", async () => {
    const seconds = Math.ceil(clock() / 1000 + 60);
    for (const [headers, name, reset] of [
      ["draft-6", "ratelimit-reset", 60],
      ["legacy", "x-ratelimit-reset", seconds],
      ["github", "x-ratelimit-reset", seconds],
      ["reddit", "x-ratelimit-reset", 60],
    ] as const) {
      const site = await bareSite({ ...minute, limit: 5, headers });
      expect([headers, (await site.get("/")).headers[name]]).toEqual([headers, String(reset)]);
    }
  });

  it("the left-most forwarded address is believed, which the client writes itself", async () => {
    const site = await bareSite({ ...minute, limit: 2 });
    const forged = (first: string): Ask => ({
      headers: { "x-forwarded-for": `${first}, 203.0.113.9` },
    });
    const asks = ["1.1.1.1", "2.2.2.2", "3.3.3.3"].map(forged);
    expect(await site.statuses(asks)).toEqual([200, 200, 429]);
    expect((await site.limiters[0]!.peek("ip:203.0.113.9")).remaining).toBe(0);
  });

  it("an IPv6 address breaks the limit of a subnet", async () => {
    const site = await bareSite({
      ...minute,
      limit: 2,
      key: ip({ ipv4Prefix: 24, ipv6Prefix: 48 }),
    });
    const asks = ["2001:db8:7:1::1", "2001:db8:7:2::1", "2001:db8:7:3::1", "2001:db8:8::1"];
    expect(await site.statuses(asks.map(from))).toEqual([200, 200, 429, 200]);
    const mapped = ["192.0.2.1", "::ffff:192.0.2.2", "192.0.2.3", "192.0.3.1"];
    expect(await site.statuses(mapped.map(from))).toEqual([200, 200, 429, 200]);
  });

  it.each([
    ["a user whom nobody signed in", user()],
    ["a user without an id", user({ from: () => undefined })],
    ["a function that answers nothing", () => undefined],
    ["an API key that is not there", apiKey()],
  ])("all who are unknown share the key undefined: %s", async (_, key) => {
    const by = await bareSite({ ...minute, limit: 1, key });
    const asks = ["192.0.2.1", "192.0.2.2", "192.0.2.1"].map(from);
    expect(await by.statuses(asks)).toEqual([200, 200, 429]);
    const skips = await bareSite({ ...minute, limit: 1, key, unidentified: "skip" });
    expect(await skips.statuses(asks)).toEqual([200, 200, 200]);
    for (const site of [by, skips]) {
      for (const text of ["undefined", "null", "user:undefined", "key:undefined", ""]) {
        expect((await site.limiters[0]!.peek(text || "user:")).remaining).toBe(1);
      }
    }
  });

  it("the first request is not counted, since the limiter is made after it", async () => {
    const ready = Promise.resolve();
    const site = await bareSite({
      matching: "all",
      rules: [
        {
          ...minute,
          name: "late",
          match: async () => ready.then(() => true),
          key: async () => ready.then(() => "a"),
          limit: async () => ready.then(() => 2),
        },
        { ...minute, name: "tiered", limit: 5, tier: async () => "none", tiers: { none: {} } },
      ],
    });
    const first = await site.get("/");
    expect(first.headers["x-ratelimit-remaining"]).toBe("1");
    expect(await site.statuses([{}, {}])).toEqual([200, 429]);
  });

  it("a key that is counted in one step and expires in another stays for ever", async () => {
    const time = manualClock();
    const store = memoryStore({ clock: time, maxKeys: 10_000 });
    const limiter = createLimiter({ limit: 1, window: "1m", store });
    for (let i = 0; i < 1000; i++) await limiter.check(`key ${i}`);
    for (let i = 0; i < 1000; i++) await limiter.check(`key ${i}`);
    expect(store.size).toBe(1000);
    time.advance(120_000);
    for (let i = 0; i < 100; i++) await limiter.check("later");
    expect(store.size).toBeLessThan(1000);
    expect(await limiter.check("key 0")).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("each process counts for itself, so that n of them allow n times the limit", async () => {
    const time = manualClock();
    const store = memoryStore({ clock: time });
    const down: Store = {
      take: () => Promise.reject(new Error("down")),
      give: () => {},
      reset: () => {},
    };
    const passed = async (stores: readonly Store[]): Promise<number> => {
      const all = stores.map((one) =>
        createLimiter({ name: "api", limit: 12, window: "1m", store: one, onError: () => {} }),
      );
      let count = 0;
      for (let i = 0; i < 60; i++) {
        if ((await all[i % all.length]!.check("a")).allowed) count++;
      }
      return count;
    };
    // With a shared store, even with copies of it.
    expect(await passed([store, store, store])).toBe(12);
    // Without it, by their share.
    const alone = [1, 2, 3].map(() =>
      fallbackStore(down, { share: 1 / 3, clock: time, fallback: memoryStore({ clock: time }) }),
    );
    expect(await passed(alone)).toBe(12);
  });

  describe("a zone that was asked for becomes the address, and nobody is told", () => {
    it.each([
      ["a zone that does not exist", "session", /key/],
      ["a function that nobody gave", { use: "zone" }, /key\.use/],
      ["a list with one that does not exist", ["user", "sesion"], /key/],
    ])("%s", (_, key, path) => {
      const policies = (): unknown => policiesFrom({ limit: 1, window: "1m", key });
      expect(policies).toThrow(expect.objectContaining({ code: "ERR_INVALID_POLICY_FILE" }));
      expect(policies).toThrow(path);
    });

    it("in code", async () => {
      const asked = bareSite({ ...minute, limit: 1, key: "user" as never });
      await expect(asked).rejects.toThrow(/key: expected/);
    });

    it("one that finds nobody says so in the key, or is left out", async () => {
      const keys: string[] = [];
      const site = await bareSite({
        policies: [
          { ...minute, name: "user", limit: 1, key: user() },
          { ...minute, name: "only users", limit: 1, key: user(), unidentified: "skip" },
        ],
        onDecision: ({ statuses }) => keys.push(...statuses.map((s) => `${s.policy}: ${s.key}`)),
      });
      await site.get("/", from("192.0.2.1"));
      expect(keys).toEqual(["user: ip:192.0.2.1"]);
    });
  });

  it("one bucket serves all clients where nobody meant that", async () => {
    const asks = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(from);
    const usual = await bareSite({ ...minute, limit: 1 });
    expect(await usual.statuses([...asks, ...asks])).toEqual([200, 200, 200, 429, 429, 429]);
    const meant = await bareSite({ ...minute, limit: 1, key: everyone() });
    expect(await meant.statuses(asks)).toEqual([200, 429, 429]);
  });

  // What needs Redis, or several processes, is tested there.
  it.each([
    ["a key without expiry", "packages/redis/test/scenarios/data.test.ts", "B128: a key without"],
    ["counts times processes", "packages/redis/test/exactness.test.ts", "four processes of 64"],
    [
      "the left-most address",
      "packages/express/test/scenarios/identity.test.ts",
      "B08: counts hops",
    ],
    ["the left-most address", "packages/koa/test/scenarios/identity.test.ts", "B21"],
    [
      "a limiter for each request",
      "packages/fastify/test/scenarios/construction.test.ts",
      "SPILLWAY",
    ],
  ])("%s: %s", (_, file, text) => {
    expect(existsSync(root + file)).toBe(true);
    expect(readFileSync(root + file, "utf8")).toContain(text);
  });
});
