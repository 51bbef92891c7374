import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import Router from "@koa/router";
import type Koa from "koa";
import EarlyRouter from "koa-router-lowest";
import { describe, expect, it } from "vitest";
import { hostSpellingsOf, spellingsOf } from "../../core/test/spellings.ts";
import { type RateLimitMiddleware, rateLimit } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { majors } from "./majors.ts";

/** Patterns, and a path for each. */
const routes = [
  ["/", "/"],
  ["/login", "/login"],
  ["/Users/Me", "/Users/Me"],
  ["/users/:id", "/users/42"],
  ["/users/:id/posts/:post", "/users/42/posts/7"],
  ["/files/*", "/files/a/b"],
  ["/caf%C3%A9/menu", "/caf%C3%A9/menu"],
  ["/a.b-c~d/e;f=g", "/a.b-c~d/e;f=g"],
  ["/:tenant/report", "/acme/report"],
  ["/*", "/anything/else"],
] as const;

describe.each(majors)("$name", ({ Koa }) => {
  function limitOf(pattern: string): RateLimitMiddleware {
    const rules = [{ name: "the rule", match: pattern, limit: 1e6, window: "1d" }] as const;
    return rateLimit({ matching: "first", rules, onWarning: () => {} });
  }

  /** Returns which spellings reach the route, and which of them the rule does not match. */
  async function reach(
    app: Koa,
    router: Router,
    path: string,
    ...at: string[]
  ): Promise<string[][]> {
    const reached: string[] = [];
    const missed: string[] = [];
    router.all(path.replace("*", "*rest"), (ctx) => {
      reached.push(ctx.originalUrl);
      if (ctx.state.rateLimit?.policy !== "the rule") missed.push(ctx.originalUrl);
      ctx.body = "ok";
    });
    app.silent = true;
    const serve = app.callback();
    for (const url of at.flatMap(spellingsOf)) {
      const req = new IncomingMessage(new Socket());
      req.url = url;
      req.method = "GET";
      await serve(req, new ServerResponse(req));
    }
    return [reached, missed];
  }

  it.each(["http://[bad/x", "http://[::1/", "x://[", "http://h]/", "http://xn--/"])(
    "charges targets that Koa cannot parse by the rule for everything: %s",
    async (url) => {
      const app: Koa = new Koa();
      const login = { name: "login", match: "/login", limit: 5, window: "1m" } as const;
      const all = { name: "all", limit: 2, window: "1m" } as const;
      const seen: unknown[] = [];
      const limit = rateLimit({
        matching: "all",
        rules: [login, all],
        onDecision: ({ policy, allowed }) => seen.push([policy, allowed]),
      });
      app.use(limit).use((ctx) => {
        ctx.body = "ok";
      });
      const serve = app.callback();
      for (let i = 0; i < 3; i++) {
        const req = new IncomingMessage(new Socket());
        req.url = url;
        req.method = "GET";
        const res = new ServerResponse(req);
        await serve(req, res);
        expect(res.statusCode).toBe(i < 2 ? 200 : 429);
      }
      expect(seen).toEqual([
        ["all", true],
        ["all", true],
        ["all", false],
      ]);
    },
  );

  it.each(routes)("matches all that reaches the route %s", async (pattern, path) => {
    const router = new Router();
    const app: Koa = new Koa();
    app.use(limitOf(pattern)).use(router.routes());
    const [reached, missed] = await reach(app, router, pattern, path);
    expect(missed).toEqual([]);
    expect(reached!.length).toBeGreaterThan(4);
    expect(reached).toContain(`http://host${path}`);
    if (pattern !== "/") expect(reached).toContain(`${path}?x=/1`);
  });

  it.each(routes)(
    "matches all that reaches %s of a router with a prefix",
    async (pattern, path) => {
      const router = new Router({ prefix: "/t/:tenant" });
      router.use(limitOf(`/t/:tenant${pattern}`));
      const app: Koa = new Koa();
      app.use(router.routes());
      const [reached, missed] = await reach(app, router, pattern, `/t/acme${path}`);
      expect(missed).toEqual([]);
      expect(reached!.length).toBeGreaterThan(4);
    },
  );

  it.each(routes)("matches all that reaches %s of what is mounted", async (pattern, path) => {
    const router = new Router();
    const [limit, inner] = [limitOf(`/api/v1${pattern}`), router.routes()];
    const app = new Koa();
    app.use(
      mounted(
        "/api",
        mounted("/v1", (ctx, next) => limit(ctx, () => inner(ctx as never, next))),
      ),
    );
    const [reached, missed] = await reach(
      app,
      router,
      pattern,
      `/api/v1${path}`,
      `/api/v1//user@host${path}`,
    );
    expect(missed).toEqual([]);
    expect(reached!.length).toBeGreaterThan(4);
  });

  it.each([false, true])("matches all that reaches a host, with proxy %s", async (proxy) => {
    const host = "a.example";
    const rules = [{ name: "the rule", match: { host }, limit: 1e6, window: "1d" }] as const;
    const app: Koa = new Koa({ proxy, maxIpsCount: 1 });
    const reached: string[] = [];
    const missed: string[] = [];
    app.use(rateLimit({ matching: "first", rules, onWarning: () => {} })).use((ctx) => {
      if (ctx.hostname !== host) return;
      reached.push(ctx.req.headers.host!);
      if (ctx.state.rateLimit?.policy !== "the rule") missed.push(ctx.req.headers.host!);
    });
    const serve = app.callback();
    for (const spelling of hostSpellingsOf(host)) {
      const req = new IncomingMessage(new Socket());
      Object.assign(req, { method: "GET", url: "/", headers: { host: spelling } });
      await serve(req, new ServerResponse(req));
    }
    expect(missed).toEqual([]);
    expect(reached.length).toBeGreaterThan(6);
  });

  it("matches what the application itself has rewritten, by what its router looks for", async () => {
    const router = new Router().post("/login", (ctx) => {
      ctx.body = "ok";
    });
    const rules = [{ name: "login", match: "POST /login", limit: 1, window: "1m" }] as const;
    const app: Koa = new Koa();
    app
      .use((ctx, next) => {
        ctx.url = ctx.url.replace("/v1/", "/");
        return next();
      })
      .use(rateLimit({ matching: "first", rules }))
      .use(router.routes());
    const asks = ["/v1/login", "/login", "/V1/login"].map(
      (path) => ({ method: "post", path }) as const,
    );
    expect(await statuses(app, ...asks)).toEqual([200, 429, 404]);
  });

  it.each([
    ["newRouterPath", Router],
    ["routerPath", EarlyRouter],
  ])("matches where the application has its router look by %s", async (name, Routes) => {
    const router = new Routes().post("/login", (ctx) => {
      ctx.body = "ok";
    });
    const rules = [{ name: "login", match: "POST /login", limit: 1, window: "1m" }] as const;
    const app: Koa = new Koa();
    app
      .use((ctx, next) => {
        Object.assign(ctx, { [name]: ctx.path.replace("/v1/", "/") });
        return next();
      })
      .use(rateLimit({ matching: "first", rules }))
      .use(router.routes() as unknown as Koa.Middleware);
    const asks = ["/v1/login", "/login"].map((path) => ({ method: "post", path }) as const);
    expect(await statuses(app, ...asks)).toEqual([200, 429]);
  });

  it("B24, B25, B26: has one bucket for the spellings of a rule's path", async () => {
    const router = new Router().get("/login", (ctx) => {
      ctx.body = "ok";
    });
    const rules = [{ name: "login", match: "/login", limit: 2, window: "1m" }] as const;
    const app: Koa = new Koa();
    app.use(rateLimit({ matching: "first", rules })).use(router.routes());
    const paths = ["/login", "/LOGIN", "/login/", "/login?x=1", "/%6Cogin", "/other"];
    expect(await statuses(app, ...paths)).toEqual([200, 200, 429, 429, 429, 404]);
  });
});

/** Mounts like koa-mount: what is mounted sees the rest of the path. */
function mounted(prefix: string, inner: Koa.Middleware): Koa.Middleware {
  return async (ctx, next) => {
    const whole = ctx.path;
    const rest = whole.startsWith(prefix) ? whole.slice(prefix.length) || "/" : "";
    if (!rest.startsWith("/")) return next();
    ctx.mountPath = prefix;
    ctx.path = rest;
    await inner(ctx, async () => {
      ctx.path = whole;
      await next();
      ctx.path = rest;
    });
    ctx.path = whole;
    return undefined;
  };
}
