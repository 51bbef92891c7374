import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { admitUpgrade, createGuard } from "../../src/http/index.ts";
import { memoryStore } from "../../src/memory-store.ts";
import { bareFramework } from "./bare-server.ts";
import { bareSite, clock, minute } from "./bare-site.ts";

describe("B46", () => {
  it("charges handshakes and no messages, and refuses by HTTP", async () => {
    const guard = createGuard(bareFramework(), {
      ...minute,
      limit: 2,
      store: memoryStore({ clock }),
    });
    const sockets = new WebSocketServer({ noServer: true });
    sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(data)));
    const server = createServer();
    server.on("upgrade", async (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!(await admitUpgrade(guard, req, socket, (raw) => raw))) return;
      sockets.handleUpgrade(req, socket, head, (opened) => sockets.emit("connection", opened, req));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      for (const client of sockets.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

    for (let i = 0; i < 2; i++) {
      const socket = new WebSocket(url);
      await once(socket, "open");
      for (let sent = 0; sent < 50; sent++) {
        socket.send(String(sent));
        const [data] = await once(socket, "message");
        expect(String(data)).toBe(String(sent));
      }
    }
    const refused = new WebSocket(url);
    refused.on("error", () => {});
    const [, answer] = await once(refused, "unexpected-response");
    expect(answer.statusCode).toBe(429);
    expect(answer.headers).toMatchObject({
      "retry-after": "60",
      "x-ratelimit-remaining": "0",
      "cache-control": "no-store",
    });
    answer.resume();
  });
});

describe("B56", () => {
  it.each([
    ["plain", '"plain"'],
    ['with "quotes"', '"with \\"quotes\\""'],
    ["back\\slash", '"back\\\\slash"'],
    ["a, b", '"a, b"'],
    ["a;q=1", '"a;q=1"'],
  ])("writes the name %j as a string that parsers read", async (name, written) => {
    const site = await bareSite({ ...minute, limit: 2, name, headers: "draft-8" });
    const { status, headers } = await site.get();
    expect(status).toBe(200);
    expect(headers["ratelimit-policy"]).toBe(`${written};q=2;w=60`);
    expect(headers.ratelimit).toBe(`${written};r=1;t=60`);
  });

  it.each(["a\r\nX-Own: 1", "é", "", "\0", "a\tb"])("refuses the name %j at once", async (name) => {
    await expect(bareSite({ ...minute, limit: 2, name })).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
    });
  });

  it("refuses one name for two policies", async () => {
    const policies = [1, 2].map((limit) => ({ ...minute, limit, name: "same" }));
    await expect(bareSite({ policies })).rejects.toThrow(/^policies\[1\]\.name: /);
  });
});

describe("B66", () => {
  const rows: readonly [string, (req: IncomingMessage) => unknown, readonly number[]][] = [
    ["async false", async () => false, [200, 429]],
    ["an object", (req) => req.headers, [500, 500]],
    ["a late false", () => new Promise((resolve) => setImmediate(resolve, false)), [200, 429]],
    ["undefined", () => undefined, [200, 429]],
    ["a rejection", () => Promise.reject(new Error("no")), [500, 500]],
    ["true", () => true, [200, 200]],
  ];
  it.each(rows)("does not take %s for yes", async (_, skip, statuses) => {
    const site = await bareSite({ ...minute, limit: 1, skip: skip as () => boolean });
    expect(await site.statuses(["/", "/"])).toEqual(statuses);
  });
});

it("B67: gives failures back, but never the refusal itself", async () => {
  const routes = { "GET /": {}, "GET /500": { status: 500, body: "no" } };
  const site = await bareSite({ ...minute, limit: 2, refund: "failed" }, { routes });
  expect(await site.statuses(["/500", "/500", "/500", "/", "/", "/", "/"])).toEqual([
    500, 500, 500, 200, 200, 429, 429,
  ]);
  clock.advance(60_000);
  const next = await site.get();
  expect([next.status, next.headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
});

describe("B73", () => {
  it("charges at the door, and gives successes back when they are over", async () => {
    const arrivals: (() => void)[] = [];
    let finish = (): void => {};
    const slow = {
      reached: () => arrivals.shift()?.(),
      until: () => new Promise<void>((resolve) => (finish = resolve)),
    };
    const site = await bareSite(
      { ...minute, limit: 1, refund: "successful" },
      { routes: { "GET /": {}, "GET /slow": slow } },
    );
    const arrived = new Promise<void>((resolve) => arrivals.push(resolve));
    const first = site.start("/slow");
    await arrived;
    expect((await site.get()).status).toBe(429);
    finish();
    expect((await first.answer).status).toBe(200);
    const third = await site.get();
    expect([third.status, third.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
  });

  it("gives back by a predicate, and nothing else", async () => {
    const routes = {
      "GET /422": { status: 422, body: "no" },
      "GET /500": { status: 500, body: "no" },
    };
    const refund = (status: number): boolean => status === 422;
    const site = await bareSite({ ...minute, limit: 1, refund }, { routes });
    expect(await site.statuses(["/422", "/422", "/500", "/422"])).toEqual([422, 422, 500, 429]);
  });
});

it("B119: never shows a store's failure as a refusal", async () => {
  const cause = new Error("plain");
  const store = { take: () => Promise.reject(cause), give() {}, reset() {} };
  for (const [onStoreError, status] of [
    ["open", 200],
    ["closed", 503],
  ] as const) {
    const errors: unknown[] = [];
    const onError = (error: unknown): number => errors.push(error);
    const site = await bareSite({ ...minute, limit: 1, store, onStoreError, onError });
    const { status: found, headers } = await site.get();
    expect(found).toBe(status);
    expect(Object.keys(headers).join()).not.toMatch(/ratelimit|retry-after/);
    expect(errors).toEqual([expect.objectContaining({ code: "ERR_STORE_UNAVAILABLE", cause })]);
  }
});
