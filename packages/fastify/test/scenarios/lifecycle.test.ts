import { Writable } from "node:stream";
import Fastify from "fastify";
import { expect, it } from "vitest";
import rateLimit, { type RateLimitError, user } from "../../src/index.ts";
import { later } from "../later.ts";
import { windowOf } from "../window.ts";

it("B38: a batch costs as many units as it has operations, where the limiter knows the body", async () => {
  const app = Fastify();
  await app.register(rateLimit, {
    ...windowOf(10),
    hook: "preHandler",
    cost: ({ body }) => (Array.isArray(body) ? body.length : 1),
  });
  app.post("/batch", async () => "ok");
  const seen: unknown[] = [];
  for (const operations of [5, 5, 5, 11]) {
    const { statusCode, headers } = await app.inject({
      method: "POST",
      url: "/batch",
      payload: Array(operations).fill({ op: "get" }),
    });
    seen.push([statusCode, headers["x-ratelimit-remaining"], headers["retry-after"]]);
  }
  expect(seen).toEqual([
    [200, "5", undefined],
    [200, "0", undefined],
    [429, "0", "60"],
    [429, "0", undefined],
  ]);
});

it("B44: by default a refusal comes before bodies, authentication and the handler", async () => {
  const app = Fastify();
  const ran = { parser: 0, auth: 0, handler: 0 };
  app.addContentTypeParser("text/x-big", { parseAs: "string" }, (_, body, done) => {
    ran.parser++;
    done(null, body);
  });
  await app.register(rateLimit, windowOf(1));
  const preHandler = async (): Promise<void> => void ran.auth++;
  app.post("/", { preHandler }, async () => ++ran.handler);
  const request = {
    method: "POST",
    url: "/",
    headers: { "content-type": "text/x-big" },
    payload: "x".repeat(1_000_000),
  } as const;
  expect((await app.inject(request)).statusCode).toBe(200);
  expect((await app.inject(request)).statusCode).toBe(429);
  expect(ran).toEqual({ parser: 1, auth: 1, handler: 1 });
});

it("B44: on preHandler it knows the user, and nothing runs after a refusal that took its time", async () => {
  const logged: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const app = Fastify({ logger: { level: "warn", stream } });
  const ran: string[] = [];
  app.decorateRequest("user", null as { id: string } | null);
  app.addHook("preHandler", async (request) => {
    request.user = { id: request.headers["x-user"] as string };
  });
  await app.register(rateLimit, {
    ...windowOf(1),
    store: later(windowOf(1).store),
    hook: "preHandler",
    key: user(),
  });
  app.addHook("preHandler", async () => void ran.push("later hook"));
  const preHandler = async (): Promise<void> => void ran.push("route's hook");
  app.get("/", { preHandler }, async ({ rateLimit: decision }) => ran.push(decision!.key));
  const ask = (name: string) => app.inject({ url: "/", headers: { "x-user": name } });
  expect((await ask("a")).statusCode).toBe(200);
  expect((await ask("a")).statusCode).toBe(429);
  expect((await ask("b")).statusCode).toBe(200);
  const once = ["later hook", "route's hook"];
  expect(ran).toEqual([...once, "user:a", ...once, "user:b"]);
  expect(logged).toEqual([]);
});

const body = (): object => ({ error: "slow down" });

it("B45: a custom body is sent with 429, past an error handler that makes 500 of the unknown", async () => {
  const app = Fastify();
  app.setErrorHandler((error, _, reply) => {
    const status = error instanceof Error ? (error as { statusCode?: number }).statusCode : 500;
    reply.code(status ?? 500).send({ handled: true });
  });
  await app.register(rateLimit, { ...windowOf(0), body });
  app.get("/", async () => "ok");
  const { statusCode, json } = await app.inject("/");
  expect([statusCode, json()]).toEqual([429, { error: "slow down" }]);
});

it("B45: what is thrown on request is an Error with status, code and decision", async () => {
  const app = Fastify();
  app.setErrorHandler((error, _, reply) => {
    const { statusCode, code, decision } = error as RateLimitError;
    reply.code(statusCode).send({ isError: error instanceof Error, code, decision });
  });
  await app.register(rateLimit, { ...windowOf(0), body, throw: true });
  app.get("/", async () => "ok");
  const { statusCode, json } = await app.inject("/");
  expect([statusCode, json()]).toMatchObject([
    429,
    { isError: true, code: "ERR_RATE_LIMITED", decision: { allowed: false, limit: 0 } },
  ]);
});

declare module "fastify" {
  interface FastifyRequest {
    user: { id: string } | null;
  }
}
