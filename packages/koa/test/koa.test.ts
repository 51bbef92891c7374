import { once } from "node:events";
import { connect, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import Router from "@koa/router";
import { describe, expect, it } from "vitest";
import { keyOf, type RateLimitOptions, rateLimit, route } from "../src/index.ts";
import { ask, remaining, statuses } from "./ask.ts";
import { majors } from "./majors.ts";
import { windowOf } from "./window.ts";

describe.each(majors)("$name", ({ Koa }) => {
  const ok = (ctx: { body: unknown }): void => {
    ctx.body = "ok";
  };

  it("puts a frozen decision at ctx.state.rateLimit, and nothing before", async () => {
    const app = new Koa();
    const seen: unknown[] = [];
    app.use(async ({ state }, next) => {
      seen.push(state.rateLimit);
      await next();
    });
    app.use(rateLimit(windowOf(3)));
    app.use((ctx) => {
      seen.push(ctx.state.rateLimit, Object.isFrozen(ctx.state.rateLimit));
      ok(ctx);
    });
    await ask(app);
    expect(seen).toEqual([
      undefined,
      expect.objectContaining({ allowed: true, remaining: 2 }),
      true,
    ]);
  });

  it("goes on where nobody may write to ctx.state", async () => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      ctx.state = Object.freeze({});
      await next();
    });
    app.use(rateLimit(windowOf(1))).use(ok);
    expect(await statuses(app, {}, {})).toEqual([200, 429]);
  });

  it("looks at, charges and resets the keys that requests have", async () => {
    const app = new Koa();
    const limit = rateLimit(windowOf(2));
    app.use(limit).use(ok);
    const request = { peer: "192.0.2.7" };
    const key = keyOf.ip("192.0.2.7");
    expect(await statuses(app, request)).toEqual([200]);
    expect(await limit.limiter.check(key)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await statuses(app, request)).toEqual([429]);
    await limit.limiter.reset(key);
    expect(await limit.limiter.peek(key)).toMatchObject({ remaining: 2 });
    expect(await statuses(app, request)).toEqual([200]);
  });

  it("charges once per limiter where several layers of a router match", async () => {
    const app = new Koa();
    const router = new Router();
    const limit = rateLimit(windowOf(9));
    const other = rateLimit({ ...windowOf(99), name: "other" });
    router.use(limit);
    router.get("/items/:id", limit, async (_, next) => next());
    router.get("/items/{*rest}", limit, other, async (_, next) => next());
    router.all("/items/1", limit, (ctx) => {
      ctx.body = [ctx.state.rateLimit?.policy];
    });
    app.use(limit).use(router.routes()).use(router.allowedMethods());
    expect(await remaining(app, "/items/1", "/items/1")).toEqual([8, 7]);
    expect(await other.limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 97 });
  });

  it("limits what matched below router.use, and everything below app.use", async () => {
    for (const [where, expected] of [
      ["router", [200, 404, 405, 200, 429]],
      ["app", [200, 404, 429, 429, 429]],
    ] as const) {
      const app = new Koa();
      const router = new Router();
      const limit = rateLimit(windowOf(2));
      if (where === "app") app.use(limit);
      else router.use(limit);
      router.get("/", ok);
      app.use(router.routes()).use(router.allowedMethods());
      const post = { method: "post", path: "/" } as const;
      expect(await statuses(app, "/", "/nope", post, "/", "/")).toEqual(expected);
    }
  });

  it("knows the pattern of a nested route", async () => {
    const app = new Koa();
    const inner = new Router();
    const outer = new Router({ prefix: "/api" });
    const seen: unknown[] = [];
    const limit = rateLimit({
      ...windowOf(1),
      key: route(),
      onDecision: ({ key }) => void seen.push(key),
    });
    inner.get("/items/:id", limit, ok);
    outer.use("/v1", inner.routes());
    app.use(outer.routes());
    expect(await statuses(app, "/api/v1/items/1", "/api/v1/items/2")).toEqual([200, 429]);
    expect(await statuses(app, { method: "head", path: "/api/v1/items/3" })).toEqual([429]);
    expect(new Set(seen)).toEqual(new Set(["route:GET /api/v1/items/:id"]));
  });

  it("serves HTTP/2 as it serves HTTP/1", async () => {
    const app = new Koa();
    app.use(rateLimit({ ...windowOf(1), refund: (status) => status === 418 }));
    app.use((ctx) => {
      ctx.status = 418;
      ctx.body = "ok";
    });
    const server = createHttp2Server(app.callback());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const seen: unknown[] = [];
    for (const path of ["/", "/"]) {
      const stream = client.request({ ":path": path });
      const [headers] = await once(stream, "response");
      seen.push([headers[":status"], headers["x-ratelimit-remaining"]]);
      await once(stream.resume(), "close");
    }
    client.close();
    server.close();
    expect(seen).toEqual([
      [418, "0"],
      [418, "0"],
    ]);
  });

  it.each([
    ["in place", "k"],
    ["by a promise", Promise.resolve("k")],
  ])("answers a promise whatever next does, admitted %s", async (_, key) => {
    const limit = rateLimit({ ...windowOf(9), key: () => key });
    const seen: unknown[] = [];
    const app = new Koa();
    app.use(async (ctx) => {
      const call = (next: () => unknown) => limit(ctx, next as () => Promise<unknown>);
      const failed = call(() => fail("broken"));
      seen.push(failed instanceof Promise, await failed.catch((error) => error));
      seen.push(await call(() => "reached"));
    });
    await ask(app);
    expect(seen).toEqual([true, "broken", "reached"]);
  });

  describe("answering", () => {
    it("answers by itself where the application took the answer over, and ran no further", async () => {
      const app = new Koa();
      app.use(async (ctx, next) => {
        ctx.respond = false;
        await next();
      });
      app.use(rateLimit(windowOf(1)));
      app.use(({ res }) => void res.end("by hand"));
      const first = await ask(app);
      expect([first.status, first.headers["x-ratelimit-remaining"]]).toEqual([404, "0"]);
      const second = await ask(app);
      expect([second.status, second.body.policy]).toEqual([429, "default"]);
      expect(second.headers["retry-after"]).toBe("60");
    });

    it("ends what somebody began, and adds nothing", async () => {
      const app = new Koa();
      app.use(async ({ res }, next) => {
        res.write("begun");
        await next();
      });
      app.use(rateLimit(windowOf(0))).use(ok);
      expect((await ask(app)).text).toBe("begun");
    });

    it("adds nothing to what onRefused has sent", async () => {
      const app = new Koa();
      const onRefused: RateLimitOptions["onRefused"] = (_, { res }) => {
        res.writeHead(429).end("mine");
      };
      app.use(rateLimit({ ...windowOf(0), onRefused })).use(ok);
      const { status, text } = await ask(app);
      expect([status, text]).toEqual([429, "mine"]);
    });

    it("takes a status that Koa has no words for", async () => {
      const app = new Koa();
      app.use(rateLimit({ ...windowOf(0), status: 420, body: "problem" })).use(ok);
      const { status, headers, text } = await ask(app);
      expect([status, headers["content-type"]]).toEqual([420, "application/problem+json"]);
      expect(JSON.parse(text)).toMatchObject({ status: 420 });
    });
  });

  describe("headers", () => {
    it.each([
      ["throws", () => fail(new Error("broken")), 500],
      ["throws by ctx.throw", () => fail(Object.assign(new Error("no"), { status: 403 })), 403],
      ["throws what is no error", () => fail("broken"), 500],
    ] as const)(
      "survive Koa's own answer where something downstream %s",
      async (_, run, status) => {
        const app = new Koa();
        app.silent = true;
        app.use(rateLimit(windowOf(9)));
        app.use(async (__, next) => next());
        app.use(async () => {
          await Promise.resolve();
          run();
        });
        const answer = await ask(app);
        expect([answer.status, answer.headers["x-ratelimit-remaining"]]).toEqual([status, "8"]);
      },
    );
  });

  describe("a function of the options that fails", () => {
    it.each([
      ["throws an error", () => fail(new Error("broken"))],
      ["throws nothing", () => fail(undefined)],
      ["rejects with nothing", async () => fail(undefined)],
      ["answers nonsense", () => Number.NaN],
      [
        "throws what cannot be read",
        () =>
          fail(
            Object.defineProperty(new Error("broken"), "status", { get: () => fail(undefined) }),
          ),
      ],
    ])("and %s reaches Koa's error handling, and never the handler", async (_, limit) => {
      const app = new Koa();
      const errors: unknown[] = [];
      let handled = 0;
      app.on("error", (error) => errors.push(error));
      app.use(rateLimit({ limit, window: "1m" }));
      app.use(() => void handled++);
      expect(await statuses(app, "/")).toEqual([500]);
      expect([errors, handled]).toEqual([[expect.any(Error)], 0]);
    });
  });
});

it("refuses options that do not fit where the limiter is made", () => {
  expect(() => rateLimit({ limit: 1, window: "1m", maximum: 3 } as never)).toThrow(
    "maximum: expected a known option",
  );
});

function fail(thrown: unknown): never {
  throw thrown;
}
