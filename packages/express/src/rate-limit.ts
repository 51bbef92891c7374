import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Decision, Limiter } from "@spillway/core";
import {
  admitUpgrade,
  createGuard,
  failureOf,
  type HttpOptions,
  sendRefusal,
  type Verdict,
} from "@spillway/core/http";
import { express } from "./express.ts";

/** What of Express's request is read here; both majors' own types fit. */
export interface ExpressRequest extends IncomingMessage {
  ip?: string | undefined;
  baseUrl?: string;
  originalUrl?: string;
  path?: string;
  params?: unknown;
  query?: unknown;
  body?: unknown;
  route?: unknown;
  app?: unknown;
  user?: unknown;
  rateLimit?: Decision;
}

/** What of Express's application is read here. */
export interface ExpressApplication {
  /** What the application's requests inherit from. */
  readonly request: object;
}

/** A middleware of Express 4 and 5. */
export interface RateLimitMiddleware {
  // Anything more exact would be taken for what the route's later handlers may know of params, query and body.
  (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void;
  /** Looks at and resets keys by hand; see `keyOf`. */
  readonly limiter: Limiter;
  /**
   * Charges a WebSocket handshake by `server.on("upgrade", …)`, which middleware never sees. Answers whether to go on;
   * where not, the client has been answered already. With `app`, the request becomes one of that application: its
   * `trust proxy` counts, and the options' functions find `req.ip` and `req.get`.
   */
  checkUpgrade(req: IncomingMessage, socket: Duplex, app?: ExpressApplication): Promise<boolean>;
}

/**
 * Limits requests by `app.use`, on a router, or per route. Throws a `ConfigError` that names each option that does
 * not fit. What the options' own functions throw reaches `next`.
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
    // Express has done so already; a router on its own has not.
    req.res ??= res;
    // Express takes nothing for success, and some texts for commands.
    const fail = (thrown: unknown): void => next(failureOf(thrown));
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = guard.admit(req);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    if ("kind" in verdict) {
      carryOut(verdict, req, res, next);
      return;
    }
    verdict
      .then((decided) => carryOut(decided, req, res, next), fail)
      // What is thrown by next is nobody's who could be called: it has been called.
      .catch((thrown: unknown) => guard.report(thrown, req));
  }

  return Object.assign(middleware, {
    limiter: guard.limiter,
    checkUpgrade: (
      req: IncomingMessage,
      socket: Duplex,
      app?: ExpressApplication,
    ): Promise<boolean> =>
      admitUpgrade(guard, req, socket, () => {
        if (app) Object.setPrototypeOf(req, app.request);
        return req as Req;
      }),
  });
}

function carryOut(
  verdict: Verdict,
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
): void {
  if (verdict.decision) req.rateLimit = verdict.decision;
  if (verdict.kind === "pass") next();
  else if (verdict.kind === "refuse" && verdict.error) next(verdict.error);
  else if (verdict.kind === "refuse") sendRefusal(res, verdict);
}
