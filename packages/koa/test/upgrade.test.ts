import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type Koa from "koa";
import { afterEach, describe, expect, it } from "vitest";
import { keyOf, type RateLimitMiddleware, rateLimit } from "../src/index.ts";
import { majors } from "./majors.ts";
import { windowOf } from "./window.ts";

const servers: Server[] = [];
const sockets: Duplex[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Serves an application that switches to a protocol which sends back what it receives. */
async function echoing(
  app: Koa,
  limit: Pick<RateLimitMiddleware, "checkUpgrade">,
  known?: Koa,
): Promise<number> {
  const server = createServer(app.callback());
  servers.push(server);
  server.on("upgrade", async (req: IncomingMessage, socket: Duplex) => {
    sockets.push(socket);
    if (!(await limit.checkUpgrade(req, socket, known))) return;
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
    );
    socket.pipe(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

type Handshake = { readonly socket: Socket } | { readonly answer: IncomingMessage };

async function shakeHands(port: number, headers: Record<string, string> = {}): Promise<Handshake> {
  const asking = request({
    host: "127.0.0.1",
    port,
    path: "/socket?room=1",
    headers: { connection: "Upgrade", upgrade: "echo", ...headers },
  });
  asking.end();
  return new Promise((resolve, reject) => {
    asking.on("upgrade", (_, socket) => {
      sockets.push(socket);
      resolve({ socket });
    });
    asking.on("response", (answer) => resolve({ answer }));
    asking.on("error", reject);
  });
}

async function answered(handshake: Handshake): Promise<IncomingMessage & { text: string }> {
  if (!("answer" in handshake)) throw new Error("the handshake was not refused");
  const text = (await handshake.answer.toArray()).join("");
  return Object.assign(handshake.answer, { text });
}

describe.each(majors)("checkUpgrade with $name", ({ Koa }) => {
  it("B46: charges handshakes and no messages, and refuses by HTTP", async () => {
    const limit = rateLimit(windowOf(2));
    const port = await echoing(new Koa().use(limit), limit);
    for (let opened = 0; opened < 2; opened++) {
      const handshake = await shakeHands(port);
      if (!("socket" in handshake)) throw new Error("the handshake was refused");
      for (let sent = 0; sent < 50; sent++) {
        handshake.socket.write(String(sent));
        const [text] = await once(handshake.socket, "data");
        expect(String(text)).toBe(String(sent));
      }
    }
    const { statusCode, headers, text } = await answered(await shakeHands(port));
    expect([statusCode, headers["retry-after"]]).toEqual([429, "60"]);
    expect(headers["x-ratelimit-remaining"]).toBe("0");
    expect(JSON.parse(text)).toMatchObject({ error: "Too Many Requests", limit: 2 });
    const others = await fetch(`http://127.0.0.1:${port}/`);
    expect(others.status).toBe(429);
  });

  it("asks as the application would, where it is given", async () => {
    const seen: unknown[] = [];
    const limit = rateLimit<Koa.Context>({
      ...windowOf(9),
      key: (ctx) => `${ctx.get("x-tenant")} ${ctx.ip} ${ctx.query.room}`,
      onDecision: ({ key }) => void seen.push(key),
    });
    const app = new Koa({ proxy: true, maxIpsCount: 1 });
    const headers = { "x-tenant": "a", "x-forwarded-for": "6.6.6.6, 198.51.100.7" };
    await shakeHands(await echoing(app, limit, app), headers);
    expect(seen).toEqual(["a 198.51.100.7 1"]);
  });

  it("finds address and trust by the application's own words", async () => {
    const app = new Koa({ proxy: true, maxIpsCount: 1 });
    const limit = rateLimit({ ...windowOf(1), trustProxy: "framework" });
    const headers = { "x-forwarded-for": "6.6.6.6, 198.51.100.7" };
    await shakeHands(await echoing(app, limit, app), headers);
    expect(await limit.limiter.peek(keyOf.ip("198.51.100.7"))).toMatchObject({ remaining: 0 });
  });

  it("knows the request without the application, and heeds proxies as by default", async () => {
    const seen: unknown[] = [];
    const limit = rateLimit({
      ...windowOf(9),
      key: ({ method, path, get, headers }) =>
        `${method} ${path} ${get("X-Tenant")} ${headers["x-tenant"]} [${get("x-none")}]`,
      onDecision: ({ key }) => void seen.push(key),
    });
    const port = await echoing(new Koa(), limit);
    await shakeHands(port, { "x-tenant": "a" });
    expect(seen).toEqual(["GET /socket a a []"]);
    const byAddress = rateLimit(windowOf(1));
    await shakeHands(await echoing(new Koa(), byAddress), { "x-forwarded-for": "198.51.100.7" });
    expect(await byAddress.limiter.peek(keyOf.ip("198.51.100.7"))).toMatchObject({ remaining: 0 });
  });

  it("answers 500 where a function of the options fails, and tells of it", async () => {
    const errors: unknown[] = [];
    const limit = rateLimit({
      ...windowOf(9),
      key: () => {
        throw new Error("broken");
      },
      onError: (error) => void errors.push(error),
    });
    const { statusCode } = await answered(await shakeHands(await echoing(new Koa(), limit)));
    expect([statusCode, errors]).toEqual([500, [new Error("broken")]]);
  });
});
