import { createServer } from "node:http";
import type { Handler, HttpApp, Serve } from "@spillway/core/testing";
import type { Express, NextFunction, Request, Response } from "express";
import { rateLimit } from "../src/index.ts";

/** Serves applications of the suite with one major of Express. */
export function serveBy(express: () => Express): Serve {
  return (plan) => {
    const app = express();
    if (plan.trust) app.set("trust proxy", plan.trust === "everybody" ? true : 1);
    app.use((req, res, next) => {
      const name = String(req.headers["x-user"] ?? "");
      if (Object.hasOwn(plan.users, name)) Object.assign(req, { user: plan.users[name] });
      res.set(plan.before);
      next();
    });
    const limits = plan.limits.map(({ options }) => rateLimit(options<Request>((req) => req)));
    if (plan.usage !== undefined) app.get(plan.usage, limits[0]!.usage());
    plan.limits.forEach(({ times }, at) => {
      for (let i = 0; i < times; i++) app.use(limits[at]!);
    });
    addRoutes(app, plan);
    return { server: createServer(app), limiters: limits.map(({ limiter }) => limiter) };
  };
}

function addRoutes(app: Express, { routes, onError }: HttpApp): void {
  for (const [name, handler] of Object.entries(routes)) {
    const [method, path] = name.split(" ") as [string, string];
    app[method.toLowerCase() as "get"](path, (req, res, next) => {
      answer(handler, req, res).catch(next);
    });
  }
  if (!onError) {
    // What Express sends for errors by itself, without logging.
    app.set("env", "test");
    return;
  }
  app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error);
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    const { status, body } = onError(error);
    return res.status(status).send(body);
  });
}

async function answer(handler: Handler, req: Request, res: Response): Promise<void> {
  handler.reached?.(req.rateLimit);
  await handler.until?.();
  if (handler.fails) throw handler.fails();
  res.status(handler.status ?? 200).set(handler.headers ?? {});
  if (handler.open) res.write(handler.body);
  else res.send(handler.body ?? "ok");
}
