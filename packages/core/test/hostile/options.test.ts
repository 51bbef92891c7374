import { describe, expect, it } from "vitest";
import {
  apiKey,
  createGuard,
  everyone,
  type HttpOptions,
  ip,
  join,
  jwtClaim,
  route,
  user,
} from "../../src/http/index.ts";
import { createLimiter, type LimiterOptions, memoryStore } from "../../src/index.ts";
import { type BareRequest, bareFramework } from "../http-scenarios/bare-server.ts";

const settings = { limit: 5, window: "1m" } as const;
const guardOf = (given: object) =>
  createGuard(bareFramework(), { ...settings, ...given } as HttpOptions<BareRequest>);

/** Options with valid values on the first read and others afterwards. */
function fickle(first: object, then: object): object {
  const names = new Set([...Object.keys(first), ...Object.keys(then)]);
  const given = {};
  for (const name of names) {
    let reads = 0;
    Object.defineProperty(given, name, {
      enumerable: true,
      get: () => (reads++ === 0 ? first : then)[name as never],
    });
  }
  return given;
}

describe("options", () => {
  it("are read once: what was checked is what counts", async () => {
    const flat = fickle(settings, { limit: Number.NaN, window: "never" }) as LimiterOptions;
    expect(await createLimiter(flat).check("a")).toMatchObject({ limit: 5, remaining: 4 });
    const many = { policies: [fickle({ ...settings, name: "a" }, { limit: "x", name: "b" })] };
    const decision = await createLimiter(many as LimiterOptions).check("a");
    expect(decision).toMatchObject({ policy: "a", limit: 5, remaining: 4 });
    const store = memoryStore(fickle({ maxKeys: 1 }, { maxKeys: Number.NaN }));
    const limiter = createLimiter({ ...settings, store });
    for (const key of ["a", "b", "c"]) await limiter.check(key);
    expect(store.size).toBe(1);
  });

  it("are left alone, and may change afterwards without effect", async () => {
    const policy = { ...settings, name: "a" };
    const options = Object.freeze({ policies: Object.freeze([policy]) });
    const limiter = createLimiter(options);
    Object.assign(policy, { limit: 0 });
    expect(await limiter.check("a")).toMatchObject({ allowed: true, limit: 5 });
  });

  it("may be an object of a class, or one without a prototype", async () => {
    class Settings {
      policies = undefined;
      get limit(): number {
        return 3;
      }
      get window() {
        return "1m" as const;
      }
    }
    const bare = Object.assign(Object.create(null) as object, settings);
    expect((await createLimiter(new Settings()).check("a")).limit).toBe(3);
    expect((await createLimiter(bare as LimiterOptions).check("a")).limit).toBe(5);
  });

  it.each<[string, object, string]>([
    [
      "a network that is none",
      { trustProxy: ["loopback", "10.0.0.0/33"] },
      'trustProxy[1]: expected an address, a CIDR such as 10.0.0.0/8 or a name such as loopback, received "10.0.0.0/33"',
    ],
    ["no networks", { trustProxy: [] }, "trustProxy: expected"],
    ["a network that is no text", { trustProxy: [8] }, "trustProxy[0]: expected"],
    [
      "a list of keys with a string",
      { key: [ip(), "ip"] },
      'key[1]: expected an extractor such as ip(), or a function (call it: ip()), received "ip"',
    ],
    ["a list of lists", { key: [[ip()]] }, "key[0]: expected"],
    ["no keys", { key: [] }, "key: expected"],
    [
      "policies that are none",
      { policies: null },
      'policies: expected an array such as [{ name: "minute", limit: 100, window: "1m" }], received null',
    ],
  ])("that hold %s are refused by name", (_, given, message) => {
    expect(() => guardOf(given)).toThrow(message);
  });

  it.each(Object.entries({ ip, user, route, everyone, join, apiKey, jwtClaim }))(
    "refuse %s as a key where nobody called it",
    (name, factory) => {
      const message = `key: expected an extractor such as ip(), a function, or a list of them that is not empty (call it: ${name}(`;
      expect(() => guardOf({ key: factory })).toThrow(message);
      expect(() => guardOf({ key: [factory] })).toThrow("key[0]: expected");
    },
  );

  it("refuse the name of a claim that is half a character", () => {
    expect(() => jwtClaim("\ud800")).toThrow(/expected the name of a claim/);
    expect(() => jwtClaim("\u{1f600}")).not.toThrow();
  });
});
