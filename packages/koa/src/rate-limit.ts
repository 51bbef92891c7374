import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Decision, Limiter } from "@spillway/core";
import { admitUpgrade, createGuard, type HttpOptions } from "@spillway/core/http";
import { type KoaContext, koa, upgradeContext } from "./koa.ts";

/** A middleware of Koa 2 and 3, for applications and routers. */
export interface RateLimitMiddleware<Ctx extends KoaContext = KoaContext> {
  (ctx: Ctx, next: () => Promise<unknown>): Promise<unknown>;
  /** Looks at and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /**
   * Charges a WebSocket handshake by `server.on("upgrade", …)`, which middleware never sees. Answers whether to go on;
   * where not, the client has been answered already.
   */
  checkUpgrade(req: IncomingMessage, socket: Duplex): Promise<boolean>;
}

/**
 * Limits requests by `app.use`, on a router, or per route. Throws a `ConfigError` that names each option that does
 * not fit. What the options' own functions throw reaches Koa's error handling.
 */
export function rateLimit<Ctx extends KoaContext = KoaContext>(
  options: HttpOptions<Ctx>,
): RateLimitMiddleware<Ctx> {
  const guard = createGuard<Ctx>(koa, options);

  async function middleware(ctx: Ctx, next: () => Promise<unknown>): Promise<unknown> {
    const verdict = await guard.admit(ctx);
    const { kind, decision } = verdict;
    if (decision) (ctx.state as { rateLimit?: Decision }).rateLimit = decision;
    if (kind === "pass") return next();
    if (kind === "gone") return undefined;
    if (verdict.error) throw verdict.error;
    if (ctx.headerSent) return undefined;
    ctx.status = verdict.status;
    ctx.set("Content-Type", verdict.body.contentType);
    ctx.body = verdict.body.text;
    return undefined;
  }

  return Object.assign(middleware, {
    limiter: guard.limiter,
    checkUpgrade: (req: IncomingMessage, socket: Duplex): Promise<boolean> =>
      admitUpgrade(guard, req, socket, () => upgradeContext(req, undefined) as Ctx),
  });
}
