import { once } from "node:events";
import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import rateLimit, { type FastifyRateLimitOptions, keyOf } from "../../src/index.ts";
import { windowOf } from "../window.ts";

const apps: FastifyInstance[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function made(options: FastifyRateLimitOptions): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true });
  apps.push(app);
  await app.register(rateLimit, options);
  return app;
}

async function listen(app: FastifyInstance): Promise<string> {
  return app.listen({ port: 0, host: "127.0.0.1" });
}

it("B46: a hijacked reply keeps its headers, and a limiter behind it writes nothing", async () => {
  const app = await made({ ...windowOf(1), hook: "preHandler" });
  app.get("/", (_, reply) => {
    reply.hijack();
    reply.raw.end("by hand");
  });
  app.get(
    "/early",
    {
      onRequest: (_, reply, done) => {
        reply.hijack();
        reply.raw.end("by hand");
        done();
      },
    },
    async () => "never",
  );
  const { headers, body } = await app.inject("/");
  expect([headers["x-ratelimit-remaining"], body]).toEqual(["0", "by hand"]);
  const early = await app.inject("/early");
  expect([early.statusCode, early.body]).toEqual([200, "by hand"]);
  expect(early.headers).not.toHaveProperty("x-ratelimit-remaining");
});

it("B47: a stream that answered 200 is no failure when its client closes it", async () => {
  const app = await made({ ...windowOf(2), refund: "failed" });
  const streams: ServerResponse[] = [];
  app.get("/events", (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream" });
    reply.raw.write("data: first\n\n");
    streams.push(reply.raw);
  });
  const url = `${await listen(app)}/events`;
  const open = async (): Promise<IncomingMessage> => {
    const [answer] = await once(get(url, { agent: false }), "response");
    return answer;
  };
  const first = await open();
  const second = await open();
  expect([first, second].map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual([
    "1",
    "0",
  ]);
  const closed = once(streams[0]!, "close");
  first.destroy();
  await closed;
  expect((await open()).statusCode).toBe(429);
});

it.each([
  ["keep their charge", undefined, [429, 429, 429]],
  ["count as failures where failures are given back", "failed", [200, 200, 429]],
] as const)("B71: requests whose client gives up %s", async (_, refund, expected) => {
  const app = await made({ ...windowOf(2), refund });
  const arrived: ServerResponse[] = [];
  app.get("/slow", (__, reply) => void arrived.push(reply.raw));
  app.get("/", async () => "ok");
  const origin = await listen(app);
  for (let aborted = 0; aborted < (refund ? 5 : 2); aborted++) {
    const asking = get(`${origin}/slow`, { agent: false });
    asking.on("error", () => {});
    await expect.poll(() => arrived.length).toBe(aborted + 1);
    const closed = once(arrived[aborted]!, "close");
    asking.destroy();
    await closed;
  }
  const seen: number[] = [];
  for (let i = 0; i < 3; i++) seen.push((await fetch(origin)).status);
  expect(seen).toEqual(expected);
  const { remaining } = await app.rateLimit.limiter.peek(keyOf.ip("127.0.0.1"));
  expect(remaining).toBe(0);
});

it("B71: leaves no listeners on a socket that is kept alive", async () => {
  const app = await made({ limit: 1e6, window: "1m", refund: "failed" });
  const sockets = new Set<Socket>();
  const counts = new Set<number>();
  app.get("/", async ({ socket }) => {
    sockets.add(socket);
    counts.add(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
    return "ok";
  });
  const origin = await listen(app);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 100; i++) {
    const [answer] = await once(get(origin, { agent }), "response");
    await once(answer.resume(), "end");
  }
  agent.destroy();
  expect([sockets.size, counts.size]).toEqual([1, 1]);
});
