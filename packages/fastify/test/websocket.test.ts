import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import rateLimit, { type FastifyRateLimitOptions, keyOf } from "../src/index.ts";
import { windowOf } from "./window.ts";

const apps: FastifyInstance[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function listening(
  options: FastifyRateLimitOptions,
  limiterFirst = false,
): Promise<FastifyInstance> {
  const app = Fastify();
  apps.push(app);
  if (limiterFirst) await app.register(rateLimit, options);
  await app.register(websocket);
  if (!limiterFirst) await app.register(rateLimit, options);
  app.get("/echo", { websocket: true }, (socket) => {
    socket.on("message", (text) => socket.send(String(text)));
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app;
}

async function opened(app: FastifyInstance, path = "/echo"): Promise<WebSocket> {
  const socket = new WebSocket(app.listeningOrigin.replace("http", "ws") + path);
  await once(socket, "open");
  return socket;
}

describe("a WebSocket route", () => {
  it("B46: charges handshakes and no messages, and refuses by HTTP", async () => {
    const app = await listening(windowOf(2));
    for (let i = 0; i < 2; i++) {
      const socket = await opened(app);
      for (let sent = 0; sent < 50; sent++) {
        socket.send(String(sent));
        const [text] = await once(socket, "message");
        expect(String(text)).toBe(String(sent));
      }
    }
    const refused = new WebSocket(`${app.listeningOrigin.replace("http", "ws")}/echo`);
    refused.on("error", () => {});
    const [, answer] = await once(refused, "unexpected-response");
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([429, "60"]);
    expect(answer.headers["x-ratelimit-remaining"]).toBe("0");
  });

  it.each([
    ["before", true, {}],
    ["behind", false, {}],
    ["before it, with errors that are thrown,", true, { throw: true }],
    ["after the hooks of its routes, before", true, { afterRouteHooks: true }],
  ])(
    "ends the connection of a refused handshake, %s the plugin of WebSockets",
    async (_, first, more) => {
      const app = await listening({ ...windowOf(0), ...more }, first);
      const client = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
      client.write(
        "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      );
      let text = "";
      for await (const chunk of client.setEncoding("latin1")) text += chunk;
      expect(text).toMatch(/^HTTP\/1\.1 429 [\s\S]*Rate limit exceeded/);
    },
  );

  it("does not take an open socket that closes for a failure", async () => {
    const app = await listening({ ...windowOf(1), refund: "failed" });
    const socket = await opened(app);
    const closed = once(app.websocketServer.clients.values().next().value!, "close");
    socket.terminate();
    await closed;
    expect(await app.rateLimit.limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 0 });
  });

  it("gives back a handshake that found no route", async () => {
    const app = await listening({ ...windowOf(1), refund: "failed" });
    const socket = new WebSocket(`${app.listeningOrigin.replace("http", "ws")}/nope`);
    socket.on("error", () => {});
    const [, answer] = await once(socket, "unexpected-response");
    expect(answer.statusCode).toBe(404);
    answer.resume();
    await once(answer, "close");
    const { limiter } = app.rateLimit;
    await expect.poll(async () => (await limiter.peek(keyOf.ip("127.0.0.1"))).remaining).toBe(1);
  });
});
