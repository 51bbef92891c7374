import { createServer } from "node:http";
import { PassThrough } from "node:stream";
import type { Handler, HttpApp, Serve } from "@spillway/core/testing";
import type Koa from "koa";
import type { Context } from "koa";
import { rateLimit } from "../src/index.ts";

/** Serves applications of the suite with one major of Koa. */
export function serveBy(Application: typeof Koa): Serve {
  return (plan) => {
    const app = new Application();
    // Errors are answered; the console needs no copy.
    app.silent = true;
    if (plan.trust) app.proxy = true;
    if (plan.trust === "one-hop") app.maxIpsCount = 1;
    app.use(async (ctx: Context, next) => {
      const name = ctx.get("x-user");
      if (Object.hasOwn(plan.users, name)) ctx.state.user = plan.users[name];
      ctx.set(plan.before);
      await next();
    });
    addErrorHandling(app, plan);
    const limits = plan.limits.map(({ options }) => rateLimit(options<Context>(({ req }) => req)));
    const usage = limits[0]?.usage();
    app.use((ctx, next) => (ctx.path === plan.usage ? usage!(ctx) : next()));
    plan.limits.forEach(({ times }, at) => {
      for (let i = 0; i < times; i++) app.use(limits[at]!);
    });
    app.use(async (ctx) => {
      const handler = plan.routes[`${ctx.method} ${ctx.path}`];
      if (handler) await answer(handler, ctx);
    });
    const server = createServer(app.callback());
    return { server, limiters: limits.map(({ limiter }) => limiter) };
  };
}

function addErrorHandling(app: Koa, { onError }: HttpApp): void {
  if (!onError) return;
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      for (const name of ctx.res.getHeaderNames()) ctx.remove(name);
      const { status, body } = onError(error);
      ctx.status = status;
      ctx.body = body;
    }
  });
}

async function answer(handler: Handler, ctx: Context): Promise<void> {
  handler.reached?.(ctx.state.rateLimit);
  await handler.until?.();
  if (handler.fails) throw handler.fails();
  const body = handler.body ?? "ok";
  ctx.status = handler.status ?? 200;
  ctx.set({ ...handler.headers });
  ctx.body = body;
  if (!handler.open) return;
  const stream = new PassThrough();
  stream.write(body);
  ctx.body = stream;
}
