import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Decision, Limiter } from "@spillway/core";
import {
  admitUpgrade,
  createGuard,
  failureOf,
  type HttpOptions,
  type Refusal,
  sendRefusal,
  sendUsage,
  usageAnswer,
  type Verdict,
} from "@spillway/core/http";
import { type KoaContext, koa } from "./koa.ts";
import { type KoaApplication, upgradeContext } from "./upgrade-context.ts";

/** A middleware of Koa 2 and 3, for applications and routers; `Ctx` is what its options' functions ask for. */
export interface RateLimitMiddleware<Ctx extends KoaContext = KoaContext> {
  (ctx: Mounted<Ctx>, next: () => Promise<unknown>): Promise<unknown>;
  /** Looks at and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /** Makes a handler that tells clients their own usage of every policy, as JSON, and charges nothing. */
  usage(): (ctx: Mounted<Ctx>) => Promise<void>;
  /**
   * Charges a WebSocket handshake by `server.on("upgrade", …)`, which middleware never sees. Answers whether to go on;
   * where not, the client has been answered already. With `app`, the context is one of that application: its `proxy`
   * counts, and the options' functions find all that they know.
   */
  checkUpgrade(req: IncomingMessage, socket: Duplex, app?: KoaApplication): Promise<boolean>;
}

/** Anything more exact than an optional part would be taken for what `app.use` adds to the application's context. */
type Mounted<Ctx extends KoaContext> = KoaContext extends Ctx
  ? { readonly req?: IncomingMessage }
  : Ctx;

/**
 * Limits requests by `app.use`, on a router, or per route. Throws a `ConfigError` that names each option that does
 * not fit. What the options' own functions throw reaches Koa's error handling.
 */
export function rateLimit<Ctx extends KoaContext = KoaContext>(
  options: HttpOptions<Ctx>,
): RateLimitMiddleware<Ctx> {
  const guard = createGuard<Ctx>(koa, options);

  async function middleware(ctx: Ctx, next: () => Promise<unknown>): Promise<unknown> {
    let verdict: Verdict;
    try {
      verdict = await guard.admit(ctx);
    } catch (thrown) {
      // Koa takes nothing for success, and would never answer.
      throw writable(failureOf(thrown));
    }
    const { kind, decision } = verdict;
    if (decision) (ctx.state as { rateLimit?: Decision }).rateLimit = decision;
    if (kind === "pass") return next();
    if (kind === "refuse") refuse(verdict, ctx);
    return undefined;
  }

  async function tellUsage(ctx: Ctx): Promise<void> {
    const answer = await usageAnswer([guard], ctx).catch((thrown: unknown) => {
      throw writable(failureOf(thrown));
    });
    if (ctx.headerSent || ctx.respond === false) {
      sendUsage(ctx.res, answer);
      return;
    }
    for (const [name, value] of answer.fields) ctx.set(name, value);
    answerBy(ctx, answer);
  }

  return Object.assign(middleware, {
    limiter: guard.limiter,
    usage: () => tellUsage,
    checkUpgrade: (req: IncomingMessage, socket: Duplex, app?: KoaApplication): Promise<boolean> =>
      admitUpgrade(guard, req, socket, () => upgradeContext(req, app) as Ctx),
  }) as RateLimitMiddleware<Ctx>;
}

/** Koa writes the status on an error; one that lets nobody write would end the process. */
function writable(error: Error & { status?: unknown }): Error {
  const fits =
    "status" in error ? Reflect.set(error, "status", error.status) : Object.isExtensible(error);
  if (fits) return error;
  const { name, message, status } = error;
  return Object.assign(new Error(message, { cause: error }), error, { name, status });
}

function refuse(refusal: Refusal, ctx: KoaContext): void {
  const { error } = refusal;
  if (error) throw error;
  if (ctx.headerSent || ctx.respond === false) {
    sendRefusal(ctx.res, refusal);
    return;
  }
  answerBy(ctx, refusal);
}

function answerBy(ctx: KoaContext, { status, body }: Pick<Refusal, "status" | "body">): void {
  ctx.status = status;
  ctx.set("Content-Type", body.contentType);
  ctx.body = body.text;
}
