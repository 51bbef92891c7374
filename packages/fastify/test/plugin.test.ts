import { once } from "node:events";
import { connect } from "node:http2";
import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it, vi } from "vitest";
import * as adapter from "../src/index.ts";
import rateLimit, { keyOf, memoryStore, rateLimit as named } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

describe("registering", () => {
  it("takes the plugin by name, as the default, and the whole module as require gives it", async () => {
    for (const plugin of [rateLimit, named, adapter as unknown as typeof rateLimit]) {
      const app = Fastify();
      await app.register(plugin, windowOf(1));
      app.get("/", async () => "ok");
      expect(await statuses(app, "/", "/")).toEqual([200, 429]);
    }
  });

  it("limits every route when it is not awaited, whenever they are declared", async () => {
    const app = Fastify();
    app.get("/before", async () => "ok");
    app.register(rateLimit, windowOf(2));
    app.get("/after", async () => "ok");
    app.register((child, _, done) => {
      child.get("/within", async () => "ok");
      done();
    });
    expect(await statuses(app, "/before", "/after", "/within")).toEqual([200, 200, 429]);
  });

  it("refuses options that do not fit, and names each", async () => {
    const app = Fastify();
    app.register(rateLimit, { limit: -1, window: "1 fortnight", maximum: 3 } as never);
    await expect(app.ready()).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
      issues: [{ path: "limit" }, { path: "window" }, { path: "maximum" }],
    });
  });

  it("refuses a hook of another name", async () => {
    const app = Fastify();
    const options = { limit: 1, window: "1m", hook: "onSend" } as never;
    await expect(app.register(rateLimit, options)).rejects.toThrow(
      'hook: expected one of "onRequest", "preValidation", "preHandler", received "onSend"',
    );
  });

  it.each<[says: string, own: false | { limit: number }, statuses: number[]]>([
    ["a limit", { limit: 2 }, [200, 200, 429, 429]],
    ["no limit", false, [200, 200, 200, 200]],
  ])("reads %s from a config that is of a class, or inherits it", async (_, own, statuses) => {
    class Config {
      get rateLimit() {
        return own;
      }
    }
    for (const config of [new Config(), Object.create({ rateLimit: own }) as object]) {
      const app = Fastify();
      await app.register(rateLimit, windowOf(3));
      app.get("/", { config: config as never }, () => "found");
      const seen: number[] = [];
      for (let i = 0; i < 4; i++) seen.push((await app.inject("/")).statusCode);
      expect(seen).toEqual(statuses);
    }
  });

  it("calls limiters without a name by a number that no other has", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(5), name: "default 2" });
    await app.register(rateLimit, windowOf(6));
    await app.register(rateLimit, windowOf(7));
    expect([...app.rateLimit.limiters.keys()]).toEqual(["default 2", "default", "default 3"]);
  });

  it("refuses a second registration of one name, and takes one without a name", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(9), name: "api" });
    await app.register(rateLimit, windowOf(9));
    const second = { policies: [{ name: "hour", limit: 9, window: "1h" }] } as const;
    await app.register(rateLimit, second);
    expect([...app.rateLimit.limiters.keys()]).toEqual(["api", "default", "hour"]);
    await expect(app.register(rateLimit, { ...windowOf(9), name: "hour" })).rejects.toThrow(
      'name: expected a name that no other rate limit on this instance has, received "hour"',
    );
  });

  it("warns once, however many routes have limiters of their own", async () => {
    const warnings: string[] = [];
    const app = Fastify({ trustProxy: true });
    const onWarning = ({ code }: { code: string }): void => void warnings.push(code);
    await app.register(rateLimit, { ...windowOf(9), onWarning });
    for (const url of ["/a", "/b"]) {
      app.get(url, { config: { rateLimit: { limit: 1 } } }, async () => "ok");
    }
    expect(await statuses(app, "/a", "/b", "/nope")).toEqual([200, 200, 404]);
    expect(warnings).toEqual(["SPILLWAY_TRUSTS_EVERYBODY"]);
    const wrong = { limit: 1, window: "1m", onWarning: "console" } as never;
    await expect(Fastify().register(rateLimit, wrong)).rejects.toThrow("onWarning: expected");
  });

  it("does not take over what another plugin calls rateLimit", async () => {
    const app = Fastify();
    app.decorate("rateLimit" as "log", (() => undefined) as never);
    await expect(app.register(rateLimit, windowOf(1))).rejects.toMatchObject({
      code: "FST_ERR_DEC_ALREADY_PRESENT",
    });
  });

  it("charges the registration on the root and the one in a child, and lists both in draft-8", async () => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(5), name: "outer", headers: "draft-8" });
    await app.register((child, _, done) => {
      child.register(rateLimit, { ...windowOf(2), name: "inner", headers: "draft-8" });
      child.get("/", async (request) => request.rateLimit?.policy);
      child.after(() => expect([...child.rateLimit.limiters.keys()]).toEqual(["inner"]));
      done();
    });
    const { headers, body } = await app.inject("/");
    expect(headers.ratelimit).toBe('"outer";r=4;t=60, "inner";r=1;t=60');
    expect(body).toBe("inner");
  });

  it("works beside another copy of itself on one application", async () => {
    vi.resetModules();
    const copy = await import("../src/index.ts");
    expect(copy.rateLimit).not.toBe(rateLimit);
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(5), name: "first" });
    await app.register(copy.rateLimit, { ...windowOf(2), name: "second" });
    app.get("/", async () => "ok");
    app.get("/own", { config: { rateLimit: { limit: 1 } } }, async () => "ok");
    expect(await statuses(app, "/", "/", "/")).toEqual([200, 200, 429]);
    expect(await statuses(app, "/own", "/own")).toEqual([200, 429]);
    expect([...app.rateLimit.limiters.keys()]).toEqual(["first", "second", "GET /own"]);
  });

  it("serves HTTP/2 as it serves HTTP/1", async () => {
    const app = Fastify({ http2: true });
    await app.register(rateLimit, { ...windowOf(2), refund: (status) => status === 418 });
    app.get("/", async (_, reply) => reply.code(418).send("ok"));
    app.get("/hijacked", (_, reply) => {
      reply.hijack();
      reply.raw.end("by hand");
    });
    const client = connect(await app.listen({ port: 0, host: "127.0.0.1" }));
    const seen: unknown[] = [];
    for (const path of ["/", "/", "/hijacked", "/hijacked", "/hijacked"]) {
      const stream = client.request({ ":path": path });
      const [headers] = await once(stream, "response");
      seen.push([headers[":status"], headers["x-ratelimit-remaining"], headers["retry-after"]]);
      await once(stream.resume(), "close");
    }
    expect(seen).toEqual([
      [418, "1", undefined],
      [418, "1", undefined],
      [200, "1", undefined],
      [200, "0", undefined],
      [429, "0", "60"],
    ]);
    client.close();
    await app.close();
  });
});

describe("request.rateLimit", () => {
  it("is null before the limiter ran, and a frozen decision after it", async () => {
    const app = Fastify();
    const seen: unknown[] = [];
    app.addHook("onRequest", async (request) => void seen.push(request.rateLimit));
    await app.register(rateLimit, windowOf(3));
    app.get("/", async ({ rateLimit: decision }) => {
      seen.push(decision, Object.isFrozen(decision));
      return "ok";
    });
    await app.inject("/");
    expect(seen).toEqual([null, expect.objectContaining({ allowed: true, remaining: 2 }), true]);
  });
});

describe("app.rateLimit.limiter", () => {
  it("looks at, charges and resets the keys that requests have", async () => {
    const app = Fastify();
    await app.register(rateLimit, windowOf(2));
    app.get("/", async () => "ok");
    const { limiter } = app.rateLimit;
    const key = keyOf.ip("192.0.2.7");
    const request = { url: "/", remoteAddress: "192.0.2.7" };
    expect(await statuses(app, request)).toEqual([200]);
    expect(await limiter.peek(key)).toMatchObject({ remaining: 1 });
    expect(await limiter.check(key)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await statuses(app, request)).toEqual([429]);
    await limiter.reset(key);
    expect(await statuses(app, request)).toEqual([200]);
  });
});

describe("closing", () => {
  const options = { limit: 1, window: "1d" } as const;

  it("closes the store of the plugin's own with the application, or with its limiter", async () => {
    for (const close of [
      (app: FastifyInstance) => app.close(),
      (app: FastifyInstance) => app.rateLimit.limiter.close(),
    ]) {
      const app = Fastify();
      await app.register(rateLimit, options);
      app.get("/", async () => "ok");
      const { limiter } = app.rateLimit;
      await app.inject("/");
      expect(await limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 0 });
      await close(app);
      expect(await limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 1 });
    }
  });

  it("leaves a store open that was passed in", async () => {
    const store = memoryStore();
    const app = Fastify();
    await app.register(rateLimit, { ...options, store });
    app.get("/", async () => "ok");
    const { limiter } = app.rateLimit;
    await app.inject("/");
    await limiter.close();
    await app.close();
    expect(await limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 0 });
  });
});
