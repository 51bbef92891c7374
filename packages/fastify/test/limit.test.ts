import { manualClock } from "@spillway/core/testing";
import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { keyOf, limit } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const handler = async (): Promise<string> => "ok";

describe("limit()", () => {
  it("needs no plugin, and is one limiter wherever it stands", async () => {
    const app = Fastify();
    const strict = limit(windowOf(2));
    app.get("/a", { onRequest: strict }, handler);
    app.get("/b", { preHandler: [strict] }, async (request) => request.rateLimit?.remaining);
    app.get("/free", handler);
    expect(await statuses(app, "/a", "/b", "/b", "/free")).toEqual([200, 200, 429, 200]);
    await strict.limiter.reset(keyOf.ip("127.0.0.1"));
    expect(await remaining(app, "/a")).toEqual([1]);
  });

  it("tells whoever forgot to call it so, and nothing of the request", async () => {
    const app = Fastify().addHook("onRequest", limit as never);
    app.get("/", handler);
    const answer = await app.inject({ url: "/", headers: { authorization: "Bearer secret" } });
    expect(answer.statusCode).toBe(500);
    expect(answer.json().message).toMatch(/^options: expected .*called once.* a request$/);
  });

  it("is a hook, and says so where it is registered", async () => {
    const app = Fastify().register(limit(windowOf(1)) as never);
    await expect(app.ready()).rejects.toThrow(
      /limit\(options\): expected to be a hook.*received an instance/,
    );
  });

  it("charges a request once that meets it twice", async () => {
    const app = Fastify();
    const strict = limit(windowOf(9));
    app.get("/", { onRequest: strict, preHandler: strict }, handler);
    expect(await remaining(app, "/", "/")).toEqual([8, 7]);
  });

  it("knows the body and the user where it stands behind them", async () => {
    const app = Fastify();
    app.decorateRequest("user", null);
    const perAccount = limit({
      ...windowOf(1),
      key: (request) => (request.body as { email: string }).email.toLowerCase(),
    });
    app.post("/login", { preHandler: perAccount }, handler);
    const ask = (email: string) => ({ method: "POST", url: "/login", payload: { email } }) as const;
    expect(await statuses(app, ask("a@example.test"), ask("B@example.test"))).toEqual([200, 200]);
    expect(await statuses(app, ask("A@example.test"))).toEqual([429]);
  });

  it("counts beside the plugin, and the tighter of the two is told", async () => {
    const clock = manualClock();
    const app = Fastify();
    await app.register(rateLimit, windowOf(100, clock));
    app.get("/", { preHandler: limit({ ...windowOf(2, clock), name: "strict" }) }, handler);
    expect(await remaining(app, "/", "/", "/")).toEqual([1, 0, 0]);
    expect(await app.rateLimit.limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({
      remaining: 97,
    });
  });

  it("refuses options that do not fit where it is made", () => {
    expect(() => limit({ limit: 1.5, window: "1m" })).toThrow("limit: expected a whole number");
    expect(() => limit({ limit: 1, window: "1m", hook: "preHandler" } as never)).toThrow(
      "hook: expected a known option",
    );
  });
});
