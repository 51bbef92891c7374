import { describe, expect, it } from "vitest";
import { bareFramework } from "../../../test/http-scenarios/bare-server.ts";
import { createLimiter } from "../../limiter.ts";
import { createGuard } from "../guard.ts";
import { everyone, extractor, header, ip, join, keyOf, route, user } from "../index.ts";
import type { HttpOptions } from "../options/http-options.ts";
import { apiKey } from "./api-key.ts";

const minute = { limit: 9, window: "1m" } as const;

/** Creates a limiter by hand, and returns it with the codes that it warned of. */
function limiterOf(options: object) {
  const codes: string[] = [];
  const onWarning = ({ code }: { readonly code: string }): void => void codes.push(code);
  const { limiter } = createGuard(bareFramework(), {
    ...minute,
    ...options,
    onWarning,
  } as HttpOptions<never>);
  return { limiter, codes };
}

describe("an address as it stands, by hand", () => {
  it.each(["check", "checkOrThrow", "peek", "reset"] as const)(
    "is warned of by %s, once",
    async (method) => {
      const { limiter, codes } = limiterOf({});
      await limiter[method]("127.0.0.1");
      await limiter[method]("2001:db8::1");
      expect(codes).toEqual(["SPILLWAY_BARE_ADDRESS"]);
    },
  );

  it.each([
    ["127.0.0.1", 1],
    ["2001:db8::1", 1],
    ["::ffff:192.0.2.1", 1],
    ["[2001:db8::1]:443", 1],
    ["192.0.2.1:80", 1],
    [keyOf.ip("127.0.0.1"), 0],
    [keyOf.ip("2001:db8::1"), 0],
    [keyOf.ip(undefined), 0],
    [keyOf.user("127.0.0.1"), 0],
    [keyOf.apiKey("127.0.0.1"), 0],
    ["everyone", 0],
    ["ada", 0],
    ["10.0.0", 0],
  ])("%s: %i warnings", async (key, count) => {
    const { limiter, codes } = limiterOf({});
    await limiter.peek(key);
    expect(codes).toHaveLength(count);
  });

  it.each<[string, object, count: number]>([
    ["addresses", { key: ip() }, 1],
    ["users", { key: user(), unidentified: "skip" }, 1],
    ["a list of extractors", { key: [apiKey(), header("x-a")] }, 1],
    ["routes", { key: route() }, 1],
    ["a function in join", { key: join(ip(), () => "a") }, 1],
    ["a list in join", { key: join(ip(), [user(), () => "a"]) }, 1],
    ["a function", { key: () => "a" }, 0],
    ["a function in a list", { key: [user(), () => "a"] }, 0],
    ["an extractor of one's own", { key: extractor(() => undefined) }, 0],
    ["everyone", { key: everyone() }, 0],
    [
      "a function in one of several policies",
      {
        limit: undefined,
        window: undefined,
        policies: [
          { ...minute, name: "a", key: ip() },
          { ...minute, name: "b", key: () => "b" },
        ],
      },
      0,
    ],
  ])("of a limiter whose keys are those of %s", async (_, options, count) => {
    const { limiter, codes } = limiterOf(options);
    await limiter.peek("127.0.0.1");
    expect(codes).toHaveLength(count);
  });

  it("is a key like any other without HTTP", async () => {
    const codes: string[] = [];
    const onWarning = ({ code }: { readonly code: string }): void => void codes.push(code);
    await createLimiter({ ...minute, onWarning }).check("127.0.0.1");
    expect(codes).toEqual([]);
  });

  it("changes nothing in what a limiter does", async () => {
    const { limiter } = limiterOf({});
    expect((await limiter.check("127.0.0.1", { cost: 4 })).remaining).toBe(5);
    expect((await limiter.peek("127.0.0.1")).remaining).toBe(5);
    await limiter.reset("127.0.0.1");
    expect((await limiter.peek("127.0.0.1")).remaining).toBe(9);
    await expect(limiter.peek(7 as never)).rejects.toThrow("key: expected a non-empty string");
  });
});
