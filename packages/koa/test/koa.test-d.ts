import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import Router, { type RouterContext } from "@koa/router";
import Koa from "koa";
import { describe, expectTypeOf, it } from "vitest";
import {
  apiKey,
  ip,
  type KoaContext,
  memoryStore,
  type PolicyOptions,
  type RateLimitMiddleware,
  type RateLimitOptions,
  rateLimit,
  type SharedOptions,
  user,
} from "../src/index.ts";

interface State {
  user: { id: string; tier: "free" | "pro" };
}
interface Extras {
  db: { name: string };
}

const limit = rateLimit({ limit: 1, window: "1m" });

describe("the middleware", () => {
  it("fits applications and routers, and leaves their types as they were", () => {
    const app = new Koa();
    const plain: Koa = app.use(limit);
    expectTypeOf(plain.use(limit)).toExtend<Koa>();
    app.use(limit).use((ctx) => {
      expectTypeOf(ctx.status).toBeNumber();
      expectTypeOf(ctx.get("x")).toBeString();
    });
    const router = new Router();
    router.use(limit);
    router.use("/api", limit);
    router.get("/", limit, (ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<Record<string, string>>();
    });
    router.post("named", "/", limit, limit, () => {});
  });

  it("fits applications and routers with state and context of their own", () => {
    const app = new Koa<State, Extras>();
    app.use(limit).use((ctx) => {
      expectTypeOf(ctx.state.user.tier).toEqualTypeOf<"free" | "pro">();
      expectTypeOf(ctx.db.name).toBeString();
    });
    const router = new Router<State, Extras>();
    router.get("/", limit, (ctx) => {
      expectTypeOf(ctx.state.user.tier).toEqualTypeOf<"free" | "pro">();
      expectTypeOf(ctx.db.name).toBeString();
    });
  });

  it("may be called by hand, and has a limiter", () => {
    const app = new Koa();
    app.use((ctx, next) => limit(ctx, next));
    const middleware: Koa.Middleware = limit;
    expectTypeOf(middleware).toBeFunction();
    expectTypeOf(limit.limiter.reset).returns.resolves.toBeVoid();
    const check = (req: IncomingMessage, socket: Duplex): Promise<boolean> =>
      limit.checkUpgrade(req, socket, app);
    expectTypeOf(check).returns.resolves.toBeBoolean();
  });
});

describe("the options", () => {
  it("take functions of the context, sync and async, without being told of its type", () => {
    rateLimit({
      limit: async (ctx) => (ctx.get("x-tier") === "pro" ? 100 : 10),
      window: "1m",
      key: [apiKey(), user(), ip(), (ctx) => ctx.headers["x-tenant"]?.toString()],
      cost: (ctx) => ctx.path.length,
      skip: async (ctx) => ctx.method === "OPTIONS",
      refund: (status, ctx) => status === 404 && ctx.path === "/",
      store: memoryStore(),
      body: (decision, ctx) => ({ wait: decision.retryAfter, path: ctx.path }),
    });
  });

  it("take functions of the application's own context", () => {
    type Own = Koa.ParameterizedContext<State, Extras>;
    const own = rateLimit<Own>({
      limit: (ctx) => (ctx.state.user.tier === "pro" ? 100 : 10),
      window: "1m",
      key: (ctx) => ctx.db.name,
    });
    new Koa<State, Extras>().use(own);
    new Router<State, Extras>().get("/", own, () => {});
    const annotated = rateLimit({ limit: 1, window: "1m", key: (ctx: Koa.Context) => ctx.ip });
    expectTypeOf(annotated).toEqualTypeOf<RateLimitMiddleware<Koa.Context>>();
    new Koa().use(annotated);
    const routed = rateLimit({
      limit: 1,
      window: "1m",
      key: (ctx: RouterContext) => ctx.params.id,
    });
    new Router().get("/:id", routed, () => {});
    const options: RateLimitOptions = { limit: 1, window: "1m" };
    expectTypeOf(rateLimit(options)).toEqualTypeOf<RateLimitMiddleware<KoaContext>>();
  });

  it("take what several limiters share, and a policy in parts", () => {
    const shared: SharedOptions = { headers: "draft-8", onRefused: (_, ctx) => ctx.path };
    const policy: Partial<PolicyOptions> = { key: (ctx) => ctx.ip };
    rateLimit({ ...shared, ...policy, limit: 1, window: "1m" });
    rateLimit({ ...shared, policies: [{ ...policy, name: "a", limit: 1, window: "1m" }] });
  });

  it("refuse what is no option", () => {
    // @ts-expect-error misspelt
    rateLimit({ limit: 1, window: "1m", limt: 1 });
    // @ts-expect-error the window is missing
    rateLimit({ limit: 1 });
    // @ts-expect-error an answer is true or false
    rateLimit({ limit: 1, window: "1m", skip: () => "yes" });
  });
});
