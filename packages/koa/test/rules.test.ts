import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import Router from "@koa/router";
import { type Charge, memoryStore, type Store } from "@spillway/core";
import { connection, manualClock } from "@spillway/core/testing";
import { describe, expect, it } from "vitest";
import { type RateLimitMiddleware, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { ask, statuses } from "./ask.ts";
import { majors } from "./majors.ts";

const minute = { window: "1m", algorithm: "fixed-window" } as const;

function limitOf(options: object): RateLimitMiddleware {
  const store = memoryStore({ clock: manualClock() });
  return rateLimit({ store, onWarning: () => {}, ...options } as unknown as RateLimitOptions);
}

/** Creates a store whose clock advances by that much after each refusal. */
function passing(ms: number): Store {
  const clock = manualClock();
  const store = memoryStore({ clock });
  return {
    ...store,
    take(charges: readonly Charge[], keep: boolean) {
      const taken = store.take(charges, keep);
      if (taken.fits.includes(false)) clock.advance(ms);
      return taken;
    },
  };
}

async function shake(limit: RateLimitMiddleware, path: string): Promise<string> {
  const server = createServer().on("upgrade", async (req: IncomingMessage, socket: Duplex) => {
    if (await limit.checkUpgrade(req, socket)) socket.end("HTTP/1.1 101 OK\r\n\r\n");
  });
  const client = connection(server, "203.0.113.9").setEncoding("latin1");
  client.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  let text = "";
  client.on("data", (chunk) => (text += chunk));
  await once(client, "end");
  return text.split("\r\n", 1)[0]!;
}

function ok(ctx: { body: unknown }): void {
  ctx.body = "ok";
}

describe.each(majors)("$name", ({ Koa }) => {
  it("matches the whole path, also on a router with a prefix", async () => {
    const rules = [{ ...minute, name: "search", limit: 1, match: "/api/search" }];
    const router = new Router({ prefix: "/api" });
    router.use(limitOf({ rules, matching: "first" }));
    router.get("/search", ok);
    router.get("/other", ok);
    const app = new Koa();
    app.use(router.routes());
    expect(await statuses(app, "/api/search", "/api/search", "/api/other")).toEqual([
      200, 429, 200,
    ]);
  });

  it("charges handshakes by the rule for their path, and holds those that do not fit", async () => {
    const rules = [
      { ...minute, name: "chat", limit: 1, match: "/chat" },
      { limit: 1, window: 20, algorithm: "fixed-window", action: "delay", name: "held" },
    ];
    const limit = limitOf({ rules, matching: "first", store: passing(20) });
    const answers = [];
    for (const path of ["/chat", "/chat", "/", "/"]) answers.push(await shake(limit, path));
    expect(answers).toEqual([
      "HTTP/1.1 101 OK",
      "HTTP/1.1 429 Too Many Requests",
      "HTTP/1.1 101 OK",
      "HTTP/1.1 101 OK",
    ]);
  });

  it("answers usage from a route, with what else the context carries", async () => {
    const limit = limitOf({ ...minute, limit: 5, name: "all" });
    const router = new Router();
    router.get("/usage", limit.usage());
    const app = new Koa();
    app.use(async (ctx, next) => {
      ctx.set("X-Own", "kept");
      await next();
    });
    app.use(router.routes());
    app.use(limit);
    app.use(ok);
    await ask(app, "/");
    const { body, headers } = await ask(app, "/usage");
    expect(body.policies).toMatchObject([{ policy: "all", used: 1, remaining: 4 }]);
    expect(headers).toMatchObject({ "x-own": "kept", "cache-control": "no-store" });
  });
});
