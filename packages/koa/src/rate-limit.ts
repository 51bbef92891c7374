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

  /** Not an async function: where the guard answers in place, nothing has to be waited for. */
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

/** Whoever hands over a callback would not hear of a promise, and may end the process by it. */
function refuseCaller(error: Error, done: unknown): Promise<never> {
  if (typeof done !== "function") return failed(error);
  done(error);
  return undefined as never;
}

/** Rejects with an error, whatever was thrown: Koa takes a thrown `undefined` for success, and would never answer. */
function failed(thrown: unknown): Promise<never> {
  return Promise.reject(writable(failureOf(thrown)));
}

const answered = Promise.resolve();

/** Rejects with the refusal's error, where the options ask for it, and with what `next` throws. */
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
    // A state that is frozen is told nothing.
  }
}

/** Koa writes the status on an error; one that lets nobody write, or read, would end the process or the answer. */
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
