import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Framework } from "@spillway/core/http";

/** What of Koa's context is read here; both majors' own types fit. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly app: unknown;
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  state: object;
  status: number;
  body: unknown;
  /** False where the application answers by `ctx.res` itself. */
  respond?: boolean | undefined;
  readonly headerSent: boolean;
  get(field: string): string;
  set(field: string, value: string): void;
}

interface App {
  readonly proxy?: boolean;
  readonly maxIpsCount?: number;
}

/** Koa 2 and 3, as data. */
export const koa: Framework<KoaContext> = {
  raw: (ctx) => ctx.req,
  response: (ctx) => ctx.res,
  address: (ctx) => ctx.ip,
  trust: ({ app }) => ((app as App | undefined)?.proxy === true ? "own" : undefined),
  doubts({ app }) {
    if ((app as App | undefined)?.maxIpsCount) return undefined;
    const message =
      "With app.proxy and no app.maxIpsCount the address is what the client wrote: anyone can escape the limit. Set maxIpsCount to the number of proxies, or the limiter's trustProxy.";
    return { code: "SPILLWAY_TRUSTS_EVERYBODY", message };
  },
  user: (ctx) => (ctx.state as { user?: unknown }).user,
  claims: (ctx) => (ctx.state as { user?: unknown }).user,
  route(ctx) {
    const pattern = (ctx as { _matchedRoute?: unknown })._matchedRoute;
    return pattern === undefined ? undefined : String(pattern);
  },
};
