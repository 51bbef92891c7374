import { memoryStore, type PolicySource } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import rateLimit, { type FastifyRateLimitOptions, keyOf, limit } from "../src/index.ts";
import { statuses } from "./ask.ts";

const minute = { window: "1m", algorithm: "fixed-window" } as const;
const self = keyOf.ip("127.0.0.1");
const apps: FastifyInstance[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function appWith(options: object): Promise<FastifyInstance> {
  const app = Fastify();
  apps.push(app);
  const store = memoryStore({ clock: manualClock() });
  await app.register(rateLimit, {
    store,
    onWarning: () => {},
    ...options,
  } as unknown as FastifyRateLimitOptions);
  return app;
}

function sourceOf(first: object): PolicySource & {
  readonly listeners: Set<(next: object) => void>;
} {
  const listeners = new Set<(next: object) => void>();
  return {
    listeners,
    current: first,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => listeners.clear(),
  };
}

describe("a plugin with rules", () => {
  const rules = [
    { ...minute, name: "search", limit: 2, match: "/search", shadow: false },
    { ...minute, name: "rest", limit: 3 },
  ];

  it("limits routes by them, not-found ones too", async () => {
    const app = await appWith({ rules, matching: "first" });
    app.get("/search", async () => "ok");
    expect(await statuses(app, "/search", "/search", "/search", "/nope", "/nope")).toEqual([
      200, 200, 429, 404, 404,
    ]);
    expect([...app.rateLimit.limiters.keys()]).toEqual(["search", "rest"]);
  });

  it("leaves a route to its own limit, which inherits lists, headers and store only", async () => {
    const app = await appWith({
      rules,
      matching: "first",
      headers: "draft-8",
      deny: [{ when: (req: { headers: object }) => "x-bad" in req.headers, reason: "bad" }],
    });
    const own = { limit: 1, window: "1m", algorithm: "fixed-window" } as const;
    app.get(
      "/search",
      { config: { rateLimit: own } },
      async (request) => request.rateLimit?.policy,
    );
    app.get("/free", { config: { rateLimit: false } }, async () => "ok");
    const first = await app.inject("/search");
    expect(first.body).toBe("GET /search");
    expect(first.headers["ratelimit-policy"]).toBe('"GET /search";q=1;w=60');
    expect(await statuses(app, "/search", "/free")).toEqual([429, 200]);
    const bad = { url: "/search", headers: { "x-bad": "1" } };
    expect(await statuses(app, bad, { ...bad, url: "/free" })).toEqual([403, 200]);
    expect((await app.rateLimit.limiter.peek(self, { policy: "search" })).remaining).toBe(2);
  });

  it("lets a route have rules of its own", async () => {
    const app = await appWith({ ...minute, limit: 9 });
    const own = [
      { ...minute, name: "write", limit: 1, match: { method: "POST" } },
      { name: "read", unlimited: true },
    ] as const;
    app.route({
      method: ["GET", "POST"],
      url: "/notes",
      config: { rateLimit: { rules: own, matching: "first" } },
      handler: async () => "ok",
    });
    const post = { url: "/notes", method: "POST" } as const;
    expect(await statuses(app, post, post, "/notes", "/notes")).toEqual([200, 429, 200, 200]);
  });

  it("says why a route below rules must have a whole limit of its own", async () => {
    const app = await appWith({ rules, matching: "first" });
    expect(() => app.get("/x", { config: { rateLimit: { limit: 2 } } }, async () => "")).toThrow(
      /^config\.rateLimit\.window of GET \/x: expected .*, received nothing: no limit or window is inherited, since the plugin has rules$/,
    );
  });

  it("names the route whose rules do not fit", async () => {
    const app = await appWith({ ...minute, limit: 9 });
    const wrong = { rules: [{ name: "a", limit: -1, window: "1m" }], matching: "first" } as const;
    expect(() => app.get("/x", { config: { rateLimit: wrong } }, async () => "")).toThrow(
      /^config\.rateLimit\.rules\[0\]\.limit of GET \/x: expected a whole number/,
    );
  });
});

describe("a route's own limit", () => {
  it.each<[object, string]>([
    [{ limit: 20 }, "20"],
    [{ limit: 100 }, "100"],
    [{ window: "1m" }, "100"],
    [{ window: "1h" }, "100"],
    [{ algorithm: "sliding-window" }, "100"],
    [{ limit: 100, tiers: { pro: { limit: 7 } } }, "7"],
    [{ cost: 1 }, "1000"],
    [{ limit: undefined, status: 420 }, "1000"],
  ])("leaves tiers behind by what it names, whatever the value: %j", async (own, limit) => {
    const tiers = { pro: { limit: 1000 } };
    const app = await appWith({ limit: 100, window: "1m", tier: () => "pro", tiers });
    app.get("/own", { config: { rateLimit: own } }, async () => "ok");
    expect((await app.inject("/own")).headers["x-ratelimit-limit"]).toBe(limit);
  });

  it("leaves the tiers and the patience of what it replaces behind", async () => {
    const tiers = { pro: { limit: 100 } };
    const base = { ...minute, limit: 50, tier: () => "pro", tiers };
    const app = await appWith({ ...base, action: "delay", maxDelay: "1h" });
    const own = { limit: 1, action: "block" } as const;
    app.get("/own", { config: { rateLimit: own } }, async () => "ok");
    app.get("/cheap", { config: { rateLimit: { cost: 2 } } }, async () => "ok");
    expect(await statuses(app, "/own", "/own")).toEqual([200, 429]);
    expect((await app.inject("/cheap")).headers["x-ratelimit-remaining"]).toBe("98");
  });
});

describe("sources", () => {
  it("of the plugin and of routes are let go of when the application closes", async () => {
    const [ofPlugin, ofRoute] = [
      sourceOf({ ...minute, limit: 3 }),
      sourceOf({ ...minute, limit: 1 }),
    ];
    const app = await appWith({ source: ofPlugin });
    app.get("/own", { config: { rateLimit: { source: ofRoute } } }, async () => "ok");
    app.get("/", async () => "ok");
    expect(await statuses(app, "/own", "/own", "/", "/")).toEqual([200, 429, 200, 200]);
    expect([ofPlugin.listeners.size, ofRoute.listeners.size]).toEqual([1, 1]);
    await apps.pop()!.close();
    expect([ofPlugin.listeners.size, ofRoute.listeners.size]).toEqual([0, 0]);
  });

  it("have the plugin's own store closed with the application", async () => {
    const source = sourceOf({ ...minute, limit: 3 });
    const app = await appWith({ store: undefined, source });
    await app.rateLimit.limiter.check(self);
    await apps.pop()!.close();
    expect(source.listeners.size).toBe(0);
  });
});

describe("usage", () => {
  it("tells of all registrations on an instance, and of none of a route", async () => {
    const app = await appWith({ ...minute, limit: 5, name: "burst" });
    const usage = app.rateLimit.usage();
    await app.register(rateLimit, { ...minute, limit: 9, name: "hour", onWarning: () => {} });
    app.get("/", async () => "ok");
    app.get("/own", { config: { rateLimit: { limit: 1 } } }, async () => "ok");
    app.get("/usage", { config: { rateLimit: false } }, usage);
    await statuses(app, "/", "/own");
    const { policies } = (await app.inject("/usage")).json();
    expect(policies).toMatchObject([
      { policy: "burst", used: 1 },
      { policy: "hour", used: 1 },
    ]);
  });

  it("is the text itself, whatever schema and serializer a route has", async () => {
    const app = await appWith({ ...minute, limit: 5 });
    const hook = limit({ ...minute, limit: 2, name: "hook", onWarning: () => {} });
    app.addHook("onRequest", async (_, reply) => void reply.serializer(() => "mangled"));
    const schema = { response: { 200: { type: "string" } } };
    app.get("/usage", { schema, config: { rateLimit: false } }, hook.usage());
    const answer = await app.inject("/usage");
    expect(answer.json().policies).toMatchObject([{ policy: "hook", limit: 2, used: 0 }]);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const head = await app.inject({ method: "HEAD", url: "/usage" });
    expect([head.statusCode, head.body]).toEqual([200, ""]);
  });
});
