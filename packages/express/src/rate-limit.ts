import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Decision, Limiter } from "@spillway/core";
import {
  admitThen,
  admitUpgrade,
  createGuard,
  failureOf,
  type HttpOptions,
  sendRefusal,
  sendUsage,
  usageAnswer,
  type Verdict,
} from "@spillway/core/http";
import { type ExpressApplication, type ExpressRequest, express } from "./express.ts";
import { misplacedCall } from "./misplaced.ts";
import { extendPrototypes, showDecisions } from "./prototypes.ts";

/** A middleware for Express 4 and 5. */
export interface RateLimitMiddleware {
  // Loosely typed: TypeScript would infer stricter types as those of params, query and body in later handlers.
  (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void;
  /** Reads and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /** Creates a handler that sends clients their own usage of every policy as JSON, and charges nothing. */
  usage(): (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
  /**
   * Charges a WebSocket handshake in `server.on("upgrade", …)`, which middleware never sees. Resolves to whether to go
   * on; if false, the client has been answered. With `app`, the request becomes one of that application: its `trust
   * proxy` applies, and the options' functions find `req.ip` and `req.get`.
   */
  checkUpgrade(req: IncomingMessage, socket: Duplex, app?: ExpressApplication): Promise<boolean>;
}

/**
 * Creates a middleware that limits requests, for `app.use`, a router or a route. Throws a `ConfigError` that names each
 * invalid option. Errors thrown by the options' functions reach `next`.
 */
export function rateLimit<Req extends ExpressRequest = ExpressRequest>(
  options: HttpOptions<Req>,
): RateLimitMiddleware {
  const guard = createGuard<Req>(express, options);

  function middleware(
    given: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ): void {
    const req = given as Req & { res?: ServerResponse };
    const error = extendPrototypes(req, res);
    if (error) {
      refuseCaller(error, next);
      return;
    }
    // Express has set this already; a router without an application has not.
    req.res ??= res;
    admitThen(guard, req, (outcome) => carryOut(outcome, req, res, next), res);
  }

  return Object.assign(middleware, {
    limiter: guard.limiter,
    usage: (): ReturnType<RateLimitMiddleware["usage"]> => (given, res, next) => {
      const error = misplacedCall(given, res);
      if (error) {
        refuseCaller(error, next);
        return;
      }
      void usageAnswer([guard], given as Req)
        .then((answer) => sendUsage(res, answer))
        .catch((thrown: unknown) => next(failureOf(thrown)));
    },
    checkUpgrade: (
      req: IncomingMessage,
      socket: Duplex,
      app?: ExpressApplication,
    ): Promise<boolean> =>
      admitUpgrade(guard, req, socket, () => {
        if (app) {
          Object.setPrototypeOf(req, app.request);
          showDecisions(app.request);
        }
        return req as Req;
      }),
  });
}

/** Reports an error to a caller that is not Express. Koa passes no callback: then it throws. */
function refuseCaller(error: Error, next: unknown): void {
  if (typeof next !== "function") throw error;
  next(error);
}

/** Defines the property over whatever is there; a request that takes none, such as a frozen one, goes without. */
function put(req: ExpressRequest, value: Decision): void {
  const own = { value, configurable: true, enumerable: true, writable: true };
  if (!Reflect.defineProperty(req, "rateLimit", own)) {
    Reflect.defineProperty(req, "rateLimit", { value });
  }
}

function carryOut(
  outcome: Verdict | Error,
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
): void {
  if (outcome instanceof Error) {
    next(outcome);
    return;
  }
  const { decision } = outcome;
  // Usually the prototype exposes it already.
  if (decision && req.rateLimit !== decision) put(req, decision);
  if (outcome.kind === "pass") next();
  else if (outcome.kind === "refuse" && outcome.error) next(outcome.error);
  else if (outcome.kind === "refuse") sendRefusal(res, outcome);
}
