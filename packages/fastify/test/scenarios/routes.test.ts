import cors from "@fastify/cors";
import { memoryStore } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import Fastify, { type FastifyInstance } from "fastify";
import { expect, it } from "vitest";
import rateLimit, { ip, limit, preflight, type RouteRateLimit, route } from "../../src/index.ts";
import { remaining, statuses } from "../ask.ts";
import { withRouter } from "../router-options.ts";
import { windowOf } from "../window.ts";

const handler = async (): Promise<string> => "ok";

it("B25: every spelling that the router takes for a route shares the route's bucket", async () => {
  const slashes = { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true };
  const app = Fastify(withRouter({ caseSensitive: false, ...slashes }));
  await app.register(rateLimit, windowOf(99));
  app.get("/login", { config: { rateLimit: { limit: 2 } } }, handler);
  app.get("/logout", { config: { rateLimit: { limit: 2, key: route() } } }, handler);
  expect(await statuses(app, "/login", "/%6Cogin", "/log%69n")).toEqual([200, 200, 429]);
  expect(await statuses(app, "/LOGIN", "/login/", "//login", "/login?x=1")).toEqual([
    429, 429, 429, 429,
  ]);
  expect(await statuses(app, "/logout", "/log%6Fut", "/LogOut/?x=1")).toEqual([200, 200, 429]);
});

it("B27: a segment that the client chooses is not part of the bucket, and makes no key", async () => {
  const store = memoryStore();
  const app = Fastify();
  await app.register(rateLimit, { limit: 99, window: "1d", store });
  app.get("/verify/:code", { config: { rateLimit: { limit: 3 } } }, async () => "ok");
  const codes = ["1", "2", "3", "4"].map((code) => `/verify/${code}`);
  expect(await statuses(app, ...codes)).toEqual([200, 200, 200, 429]);
  expect(store.size).toBe(1);
});

it.each([
  ["the plugin's bucket", {}],
  ["a bucket of the route's own", { config: { rateLimit: { limit: 10 } } }],
])("B32: HEAD costs one, from %s, which is GET's", async (_, options) => {
  const app = Fastify();
  await app.register(rateLimit, windowOf(10));
  app.get("/", options, async () => "ok");
  const head = { method: "HEAD", url: "/" } as const;
  expect(await remaining(app, "/", head, "/")).toEqual([9, 8, 7]);
  expect(await remaining(app, ...Array<string>(7).fill("/"))).toEqual([6, 5, 4, 3, 2, 1, 0]);
  const { statusCode, headers, body } = await app.inject(head);
  expect([statusCode, body]).toEqual([429, ""]);
  expect(headers).toMatchObject({
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "1700006460",
    "retry-after": "60",
  });
});

const options = {
  method: "OPTIONS",
  url: "/",
  headers: { origin: "https://app.example", "access-control-request-method": "GET" },
} as const;

it("B33: preflights cost nothing where they are skipped, and one where they are not", async () => {
  for (const [skip, left] of [
    [preflight, [2, 1, 0]],
    [undefined, [1]],
  ] as const) {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(3), skip });
    await app.register(cors, { origin: true });
    app.get("/", async () => "ok");
    for (const rest of left) {
      expect(await statuses(app, options)).toEqual([204]);
      expect(await remaining(app, "/")).toEqual([rest]);
    }
  }
});

it("B33: a CORS plugin that was registered before answers preflights before they are charged", async () => {
  const app = Fastify();
  await app.register(cors, { origin: true });
  await app.register(rateLimit, windowOf(1));
  app.get("/", async () => "ok");
  expect(await statuses(app, options, options, "/", "/", options)).toEqual([
    204, 204, 200, 429, 204,
  ]);
});

it("B34: not-found requests are charged to the same bucket as the rest", async () => {
  const app = Fastify();
  await app.register(rateLimit, windowOf(2));
  app.get("/exists", async () => "ok");
  expect(await remaining(app, "/nope", { method: "DELETE", url: "/exists" })).toEqual([1, 0]);
  expect(await statuses(app, "/nope", "/exists")).toEqual([429, 429]);
  const { headers } = await app.inject("/nope");
  expect(headers).toMatchObject({ "x-ratelimit-limit": "2", "retry-after": "60" });
});

it("B35: a hook for the not-found handler needs no plugin that is ready", async () => {
  const app = Fastify();
  app.register(rateLimit, windowOf(9));
  app.setNotFoundHandler({ preHandler: limit({ ...windowOf(1), name: "missing" }) }, (_, reply) => {
    reply.code(404).send("nope");
  });
  app.get("/", async () => "ok");
  expect(await statuses(app, "/nope", "/nope", "/")).toEqual([404, 429, 200]);
});

async function grouped(send: RouteRateLimit, resend: RouteRateLimit): Promise<FastifyInstance> {
  const app = Fastify();
  await app.register(rateLimit, windowOf(99));
  app.post("/otp/send", { config: { rateLimit: send } }, async () => "ok");
  app.post("/otp/resend", { config: { rateLimit: resend } }, async () => "ok");
  return app;
}

const send = { method: "POST", url: "/otp/send" } as const;
const resend = { method: "POST", url: "/otp/resend" } as const;

// On Redis the same depends only on the store: routes of one name have one policy, under one name.
it("B42: routes that give one name share one bucket, whatever functions they come with", async () => {
  const app = await grouped(
    { name: "otp", limit: 3, key: ip() },
    { name: "otp", limit: 3, key: ip(), skip: () => false, onRefused: () => {} },
  );
  expect(await remaining(app, send, resend, send)).toEqual([2, 1, 0]);
  expect(await statuses(app, resend, send)).toEqual([429, 429]);
});

it.each<[string, RouteRateLimit]>([
  ["limits", { name: "otp", limit: 4 }],
  ["windows", { name: "otp", limit: 3, window: "2m" }],
  ["algorithms", { name: "otp", limit: 3, algorithm: "sliding-log" }],
])("B42: different %s under one name are refused at start", async (_, other) => {
  await expect(grouped({ name: "otp", limit: 3 }, other)).rejects.toThrow(
    'config.rateLimit.name of POST /otp/resend: expected what "otp" stands for elsewhere (limit 3,',
  );
});

it("B43: a route's window is read as text, and inherited where only the limit is given", async () => {
  const clock = manualClock();
  const start = clock();
  const app = Fastify();
  await app.register(rateLimit, windowOf(99, clock));
  app.get("/a", { config: { rateLimit: { limit: 2, window: "5m" } } }, async () => "ok");
  app.get("/b", { config: { rateLimit: { limit: 1 } } }, async () => "ok");
  const seen: [url: string, at: number, status: number][] = [];
  for (const [url, at] of [
    ["/a", 0],
    ["/a", 0],
    ["/b", 0],
    ["/b", 59_000],
    ["/a", 61_000],
    ["/b", 61_000],
    ["/a", 301_000],
  ] as const) {
    clock.set(start + at);
    const [status] = await statuses(app, url);
    seen.push([url, at, status!]);
  }
  expect(seen).toEqual([
    ["/a", 0, 200],
    ["/a", 0, 200],
    ["/b", 0, 200],
    ["/b", 59_000, 429],
    ["/a", 61_000, 429],
    ["/b", 61_000, 200],
    ["/a", 301_000, 200],
  ]);
});
