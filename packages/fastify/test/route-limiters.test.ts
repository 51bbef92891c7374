import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { ip, keyOf, type RouteRateLimit } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const self = keyOf.ip("127.0.0.1");
const minute = { limit: 2, window: "1m" } as const;
const handler = async (): Promise<string> => "ok";

function limited(own: RouteRateLimit): { config: { rateLimit: RouteRateLimit } } {
  return { config: { rateLimit: own } };
}

function namesAt(app: FastifyInstance): string[] {
  return [...app.rateLimit.limiters.keys()];
}

describe("the limiter of a route", () => {
  it("is looked at, charged and reset by hand under the route's name", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), key: ip() });
    app.get("/search", limited({ limit: 2 }), handler);
    expect(namesAt(app)).toEqual(["default", "GET /search"]);
    const limiter = app.rateLimit.limiters.get("GET /search")!;
    expect(await statuses(app, "/search", "/search", "/search")).toEqual([200, 200, 429]);
    expect(await limiter.peek(self)).toMatchObject({ limit: 2, allowed: false });
    expect(await app.rateLimit.limiter.peek(self)).toMatchObject({ limit: 9, remaining: 9 });
    await limiter.reset(self);
    expect(await remaining(app, "/search")).toEqual([1]);
    expect((await limiter.check(self)).remaining).toBe(0);
    expect(await statuses(app, "/search", "/nope")).toEqual([429, 404]);
  });

  it.each<[says: string, own: RouteRateLimit, names: string[]]>([
    ["nothing", {}, ["POST /"]],
    ["a name", { name: "login" }, ["login"]],
    ["the plugin's name", { name: "api" }, []],
    [
      "policies",
      {
        policies: [
          { ...minute, name: "one" },
          { ...minute, name: "two" },
        ],
      },
      ["one", "two"],
    ],
    ["rules", { rules: [{ ...minute, name: "rule", match: "/" }], matching: "first" }, ["rule"]],
    [
      "a source",
      { source: { current: minute, subscribe: () => () => {}, close() {} } },
      ["POST /"],
    ],
    ["no limit", false, []],
  ])("of a route that gives %s", async (_, own, names) => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), name: "api" });
    const { limiter } = app.rateLimit;
    app.post("/", limited(own), handler);
    expect(namesAt(app)).toEqual(["api", ...names]);
    expect(app.rateLimit.limiters.get("api")).toBe(limiter);
  });

  it("is one for routes that share a name", async () => {
    const app = Fastify();
    await app.register(rateLimit, windowOf(9));
    for (const url of ["/a", "/b"]) app.get(url, limited({ name: "both", limit: 2 }), handler);
    expect(namesAt(app)).toEqual(["default", "both"]);
    expect(await statuses(app, "/a", "/b", "/a", "/b")).toEqual([200, 200, 429, 429]);
    await app.rateLimit.limiters.get("both")!.reset(self);
    expect(await statuses(app, "/b", "/a", "/b", "/a")).toEqual([200, 200, 429, 429]);
  });

  it("keeps no name from a later registration", async () => {
    const app = Fastify();
    await app.register(rateLimit, windowOf(9));
    app.get("/a", limited({ name: "day", limit: 1 }), handler);
    app.get("/b", limited({ name: "default 2", limit: 2 }), handler);
    await app.register(rateLimit, { ...windowOf(5), name: "day" });
    await app.register(rateLimit, windowOf(6));
    expect(namesAt(app).sort()).toEqual(["day", "default", "default 2"]);
    expect((await app.rateLimit.limiters.get("day")!.peek(self)).limit).toBe(5);
    expect((await app.rateLimit.limiters.get("default 2")!.peek(self)).limit).toBe(6);
    await expect(app.register(rateLimit, { ...windowOf(9), name: "day" })).rejects.toThrow(
      "name: expected a name that no other rate limit on this instance has",
    );
  });

  it("stands at the instance whose registration it overrides", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), name: "outer" });
    let inside: string[] = [];
    app.register((child, _, done) => {
      child.get("/below", limited({ limit: 1 }), handler);
      done();
    });
    app.register((child, _, done) => {
      child.register(rateLimit, { ...windowOf(8), name: "inner" });
      child.get("/own", limited({ limit: 1 }), handler);
      child.addHook("onReady", async () => {
        inside = namesAt(child);
      });
      done();
    });
    await app.ready();
    expect(namesAt(app)).toEqual(["outer", "GET /below"]);
    expect(inside).toEqual(["inner", "GET /own"]);
  });

  it("is there from the first request on where the route came before the plugin", async () => {
    const app = Fastify();
    app.register(rateLimit, windowOf(9));
    app.get("/early", limited({ limit: 1 }), handler);
    await app.ready();
    expect(namesAt(app)).toEqual(["default"]);
    expect(await statuses(app, "/early", "/early")).toEqual([200, 429]);
    expect(namesAt(app)).toEqual(["default", "GET /early"]);
  });

  it("is left out of usage", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), name: "api" });
    app.get("/own", limited({ limit: 1 }), handler);
    app.get("/usage", limited(false), app.rateLimit.usage());
    await app.inject("/own");
    const { policies } = (await app.inject("/usage")).json() as { policies: { policy: string }[] };
    expect(policies.map(({ policy }) => policy)).toEqual(["api"]);
  });
});

it("tells once of an address by hand that stands as it is, on whichever limiter", async () => {
  const codes: string[] = [];
  const app = Fastify();
  const onWarning = ({ code }: { readonly code: string }): void => void codes.push(code);
  await app.register(rateLimit, { ...windowOf(9), onWarning });
  app.get("/own", limited({ limit: 1 }), handler);
  for (const limiter of app.rateLimit.limiters.values()) await limiter.peek("127.0.0.1");
  expect(codes).toEqual(["SPILLWAY_BARE_ADDRESS"]);
});
