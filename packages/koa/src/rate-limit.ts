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
import { misplacedCall } from "./misplaced.ts";
import { type KoaApplication, upgradeContext } from "./upgrade-context.ts";

/** A middleware for Koa 2 and 3, for applications and routers; `Ctx` is the context its options' functions need. */
export interface RateLimitMiddleware<Ctx extends KoaContext = KoaContext> {
  (ctx: Mounted<Ctx>, next: () => Promise<unknown>): Promise<unknown>;
  /** Reads and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /** Creates a handler that sends clients their own usage of every policy as JSON, and charges nothing. */
  usage(): (ctx: Mounted<Ctx>) => Promise<void>;
  /**
   * Charges a WebSocket handshake in `server.on("upgrade", …)`, which middleware never sees. Resolves to whether to go
   * on; if false, the client has been answered. With `app`, the context is one of that application: its `proxy`
   * applies, and the options' functions find all that its contexts have.
   */
  checkUpgrade(req: IncomingMessage, socket: Duplex, app?: KoaApplication): Promise<boolean>;
}

/** Loosely typed: TypeScript would infer anything stricter as what `app.use` adds to the application's context. */
type Mounted<Ctx extends KoaContext> = KoaContext extends Ctx
  ? { readonly req?: IncomingMessage }
  : Ctx;

/**
 * Creates a middleware that limits requests, for `app.use`, a router or a route. Throws a `ConfigError` that names each
 * invalid option. Errors thrown by the options' functions reach Koa's error handling.
 */
export function rateLimit<Ctx extends KoaContext = KoaContext>(
  options: HttpOptions<Ctx>,
): RateLimitMiddleware<Ctx> {
  const guard = createGuard<Ctx>(koa, options);

  /** Not async: if the guard returns synchronously, there is nothing to wait for. */
  function middleware(
    ctx: Ctx,
    next: () => Promise<unknown>,
    done: unknown = undefined,
  ): Promise<unknown> {
    let verdict: ReturnType<typeof guard.admit>;
    try {
      verdict = guard.admit(ctx);
    } catch (thrown) {
      const error = misplacedCall(ctx);
      return error ? refuseCaller(error, done) : failed(thrown);
    }
    if ("kind" in verdict) return carryOut(verdict, ctx, next);
    return verdict.then((known) => carryOut(known, ctx, next), failed);
  }

  function usage(ctx: Ctx, _next?: unknown, done?: unknown): Promise<void> {
    const error = misplacedCall(ctx);
    return error ? refuseCaller(error, done) : tellUsage(ctx);
  }

  async function tellUsage(ctx: Ctx): Promise<void> {
    const answer = await usageAnswer([guard], ctx).catch(failed);
    if (ctx.headerSent || ctx.respond === false) {
      sendUsage(ctx.res, answer);
      return;
    }
    for (const [name, value] of answer.fields) ctx.set(name, value);
    answerBy(ctx, answer);
  }

  return Object.assign(middleware, {
    limiter: guard.limiter,
    usage: () => usage,
    checkUpgrade: (req: IncomingMessage, socket: Duplex, app?: KoaApplication): Promise<boolean> =>
      admitUpgrade(guard, req, socket, () => upgradeContext(req, app) as Ctx),
  }) as RateLimitMiddleware<Ctx>;
}

/** Uses the callback, if there is one: its caller ignores promises, and a rejection may end the process. */
function refuseCaller(error: Error, done: unknown): Promise<never> {
  if (typeof done !== "function") return failed(error);
  done(error);
  return undefined as never;
}

/** Rejects with an error, whatever was thrown: Koa takes a thrown `undefined` for success, and would never respond. */
function failed(thrown: unknown): Promise<never> {
  return Promise.reject(writable(failureOf(thrown)));
}

const answered = Promise.resolve();

/** Acts on a verdict. Rejects with the refusal's error if the options ask for it, and with what `next` throws. */
function carryOut(
  verdict: Verdict,
  ctx: KoaContext,
  next: () => Promise<unknown>,
): Promise<unknown> {
  const { kind, decision } = verdict;
  try {
    if (decision) tell(ctx.state, decision);
    if (kind === "pass") return Promise.resolve(next());
    return kind === "refuse" ? refuse(verdict, ctx) : answered;
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function tell(state: { rateLimit?: Decision }, decision: Decision): void {
  try {
    state.rateLimit = decision;
  } catch {
    // A frozen state cannot hold the decision.
  }
}

/**
 * Returns an error that Koa can write a status to, a copy if need be: one that cannot be written or read would crash
 * the process or lose the response.
 */
function writable(error: Error & { status?: unknown }): Error {
  try {
    const fits =
      "status" in error ? Reflect.set(error, "status", error.status) : Object.isExtensible(error);
    if (fits) return error;
    const { name, message, status } = error;
    return Object.assign(new Error(message, { cause: error }), error, { name, status });
  } catch {
    return new Error("What was thrown cannot be read", { cause: error });
  }
}

function refuse(refusal: Refusal, ctx: KoaContext): Promise<void> {
  if (refusal.error) return Promise.reject(refusal.error);
  if (ctx.headerSent || ctx.respond === false) sendRefusal(ctx.res, refusal);
  else answerBy(ctx, refusal);
  return answered;
}

function answerBy(ctx: KoaContext, { status, body }: Pick<Refusal, "status" | "body">): void {
  ctx.status = status;
  ctx.set("Content-Type", body.contentType);
  ctx.body = body.text;
}
