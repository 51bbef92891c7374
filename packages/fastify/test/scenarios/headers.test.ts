import cors from "@fastify/cors";
import { manualClock } from "@spillway/core/testing";
import Fastify, { type FastifyReply } from "fastify";
import { expect, it } from "vitest";
import rateLimit from "../../src/index.ts";
import { statuses } from "../ask.ts";
import { windowOf } from "../window.ts";

const handler = async (): Promise<string> => "ok";

it("B48: Retry-After is in whole seconds, and what is left of the window", async () => {
  const clock = manualClock();
  const app = Fastify();
  await app.register(rateLimit, windowOf(1, clock));
  app.get("/", handler);
  await app.inject("/");
  clock.advance(2000);
  expect((await app.inject("/")).headers["retry-after"]).toBe("58");
});

it.each([
  ["outer first", ["outer", "inner"], /^"outer";r=\d+;t=3600, "inner";r=0;t=60$/],
  ["inner first, which asks no further", ["inner", "outer"], /^"inner";r=0;t=60$/],
] as const)("B55: two limiters tell of the tighter, %s", async (_, order, listed) => {
  const clock = manualClock();
  const policies = {
    outer: { ...windowOf(100, clock), name: "outer", window: "1h" },
    inner: { ...windowOf(2, clock), name: "inner" },
  } as const;
  const app = Fastify();
  const headers = ["legacy", "draft-8"] as const;
  for (const name of order) await app.register(rateLimit, { ...policies[name], headers });
  app.get("/", handler);
  const told: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { headers: sent } = await app.inject("/");
    told.push([
      sent["x-ratelimit-limit"],
      sent["x-ratelimit-remaining"],
      sent["x-ratelimit-reset"],
    ]);
  }
  const reset = String(1_700_006_400 + 60);
  expect(told).toEqual([
    ["2", "1", reset],
    ["2", "0", reset],
    ["2", "0", reset],
  ]);
  expect((await app.inject("/")).headers.ratelimit).toMatch(listed);
});

it("B61: headers of CORS stand on a refusal, and ours are added to the exposed ones, once", async () => {
  const app = Fastify();
  await app.register(cors, { origin: ["https://app.example"], exposedHeaders: ["x-request-id"] });
  await app.register(rateLimit, { ...windowOf(1), exposeHeaders: true });
  await app.register(rateLimit, { ...windowOf(9), name: "second", exposeHeaders: true });
  app.get("/", handler);
  const request = { url: "/", headers: { origin: "https://app.example" } };
  expect(await statuses(app, request)).toEqual([200]);
  const { statusCode, headers } = await app.inject(request);
  expect(statusCode).toBe(429);
  expect(headers).toMatchObject({
    "access-control-allow-origin": "https://app.example",
    "access-control-expose-headers":
      "x-request-id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After",
    vary: "Origin",
  });
});

it("B62: a refusal cannot be cached, an admitted answer keeps what it says of caching", async () => {
  const app = Fastify();
  app.addHook("onRequest", async (_, reply) => {
    reply.header("cache-control", "public, max-age=300").header("etag", '"v1"');
    reply.raw.setHeader("last-modified", "Wed, 15 Nov 2023 00:00:00 GMT");
  });
  await app.register(rateLimit, windowOf(1));
  app.get("/", handler);
  expect((await app.inject("/")).headers).toMatchObject({
    "cache-control": "public, max-age=300",
    etag: '"v1"',
    "last-modified": "Wed, 15 Nov 2023 00:00:00 GMT",
  });
  const { statusCode, headers } = await app.inject("/");
  expect([statusCode, headers["cache-control"]]).toEqual([429, "no-store"]);
  expect(headers).not.toHaveProperty("etag");
  expect(headers).not.toHaveProperty("last-modified");
});

it.each<[how: string, forward: (reply: FastifyReply, headers: Record<string, string>) => unknown]>([
  ["by the reply", (reply, headers) => reply.headers(headers).send("ok")],
  [
    "past it",
    (reply, headers) => {
      reply.hijack();
      reply.raw.writeHead(200, headers).end("ok");
    },
  ],
])("B63: an upstream's rate headers that are passed on %s give way to ours", async (_, forward) => {
  const app = Fastify();
  await app.register(rateLimit, windowOf(2));
  app.get("/", (__, reply) => {
    forward(reply, { "X-RateLimit-Remaining": "5", "Retry-After": "9", "X-Upstream": "a" });
  });
  const { headers, raw } = await app.inject("/");
  expect(headers).toMatchObject({
    "x-ratelimit-remaining": "1",
    "retry-after": "9",
    "x-upstream": "a",
  });
  const names = raw.res.getHeaderNames().filter((name) => name === "x-ratelimit-remaining");
  expect(names).toHaveLength(1);
});
