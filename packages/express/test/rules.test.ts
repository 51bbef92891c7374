import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Charge, memoryStore, type Store } from "@spillway/core";
import { connection, manualClock } from "@spillway/core/testing";
import type { Request, Response } from "express";
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

/** Sends a WebSocket handshake, and resolves with the first line of the response. */
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

describe.each(majors)("$name", ({ express }) => {
  const ok = (_: Request, res: Response): void => void res.send("ok");

  it("matches the whole path, wherever the limiter is mounted", async () => {
    const rules = [
      { ...minute, name: "search", limit: 1, match: "/api/search" },
      { ...minute, name: "users", limit: 2, match: "/api/users/:id" },
    ];
    const router = express.Router().use(limitOf({ rules, matching: "first" }));
    router.get("/search", ok).get("/users/:id", ok).get("/other", ok);
    const app = express().use("/api", router);
    expect(
      await statuses(app, ["/api/search", "/api/search?x=1", "/api/SEARCH/", "/api/other"]),
    ).toEqual([200, 429, 429, 200]);
    expect(await statuses(app, ["/api/users/1", "/api/users/2", "/api/users/3"])).toEqual([
      200, 200, 429,
    ]);
  });

  it("tells the decision of the rule to the handler", async () => {
    const rules = [{ ...minute, name: "search", limit: 3, match: "/search" }];
    const seen: unknown[] = [];
    const app = express().use(limitOf({ rules, matching: "all" }));
    app.use((req: Request, res: Response) => {
      seen.push(req.rateLimit?.policy, req.rateLimit?.reason);
      res.send("ok");
    });
    await ask(app, "/search");
    await ask(app, "/else");
    expect(seen).toEqual(["search", "ok", "", "skipped"]);
  });

  it("charges handshakes by the rule for their path, and refuses who is denied", async () => {
    const rules = [{ ...minute, name: "chat", limit: 1, match: "/chat" }];
    const limit = limitOf({ rules, matching: "first" });
    const answers = [];
    for (const path of ["/chat", "/chat", "/other"]) answers.push(await shake(limit, path));
    expect(answers).toEqual([
      "HTTP/1.1 101 OK",
      "HTTP/1.1 429 Too Many Requests",
      "HTTP/1.1 101 OK",
    ]);
    const deny = ["203.0.113.0/24"];
    expect(await shake(limitOf({ ...minute, limit: 9, deny }), "/")).toBe("HTTP/1.1 403 Forbidden");
  });

  it("holds handshakes that do not fit, and sends them what a challenge answers", async () => {
    const held = { limit: 1, window: 20, algorithm: "fixed-window", action: "delay" };
    const limit = limitOf({ ...held, store: passing(20) });
    expect([await shake(limit, "/"), await shake(limit, "/")]).toEqual([
      "HTTP/1.1 101 OK",
      "HTTP/1.1 101 OK",
    ]);
    const action = () => ({ status: 401 });
    expect(await shake(limitOf({ ...minute, limit: 0, action }), "/")).toBe(
      "HTTP/1.1 401 Unauthorized",
    );
  });

  it("answers usage to other methods and behind the limiter too", async () => {
    const limit = limitOf({ ...minute, limit: 5, name: "all" });
    const app = express().use(limit).use("/usage", limit.usage());
    const answer = await ask(app, "/usage", { method: "POST" });
    expect(answer.json()).toEqual({
      policies: [
        { policy: "all", limit: 5, used: 1, remaining: 4, reset: expect.any(Number), window: 60 },
      ],
    });
    expect(answer.headers["x-ratelimit-remaining"]).toBe("4");
  });
});
