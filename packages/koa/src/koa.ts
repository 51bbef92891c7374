import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type Framework, isEveryMethod } from "@spillway/core/http";

/** The parts of Koa's context that are used here; the types of both majors fit. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly app: unknown;
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly hostname?: string;
  readonly headers: IncomingHttpHeaders;
  state: object;
  status: number;
  body: unknown;
  /** False if the application responds through `ctx.res` itself. */
  respond?: boolean | undefined;
  readonly headerSent: boolean;
  get(field: string): string;
  set(field: string, value: string): void;
}

interface App {
  readonly proxy?: boolean;
  readonly maxIpsCount?: number;
  /** The prototype of the application's requests. */
  readonly request?: object;
}

/** Koa 2 and 3, as data. */
export const koa: Framework<KoaContext> = {
  raw: (ctx) => ctx.req,
  response: (ctx) => ctx.res,
  address: (ctx) => ctx.ip,
  // Koa trusts proxies for any truthy value.
  trust: ({ app }) => ((app as App | undefined)?.proxy ? "own" : undefined),
  doubts({ app }) {
    if ((app as App | undefined)?.maxIpsCount) return undefined;
    const message =
      "With app.proxy and no app.maxIpsCount the address is what the client wrote: anyone can escape the limit. Set maxIpsCount to the number of proxies, or the limiter's trustProxy.";
    return { code: "SPILLWAY_TRUSTS_EVERYBODY", message };
  },
  user: (ctx) => (ctx.state as { user?: unknown }).user,
  claims: (ctx) => (ctx.state as { user?: unknown }).user,
  route(ctx) {
    const pattern = layerOf(ctx)?.path ?? (ctx as Routed)._matchedRoute;
    return pattern === undefined ? undefined : String(pattern);
  },
  methods(ctx) {
    const methods = layerOf(ctx)?.methods;
    return methods && isEveryMethod(methods.length) ? ["ALL"] : methods;
  },
  target(ctx) {
    const rewritten = (ctx as Routed).newRouterPath ?? earlyRouterPath(ctx);
    if (rewritten !== undefined) return rewritten;
    try {
      return pathOf(ctx);
    } catch {
      // Koa's path throws for targets that Node passes on, such as `http://[x/`.
      return undefined;
    }
  },
  // Koa releases disagree about user information.
  host(ctx) {
    const forwarded = (ctx.app as App | undefined)?.proxy && ctx.get("X-Forwarded-Host");
    return forwarded ? undefined : ctx.hostname;
  },
};

/** Returns the path as Koa reads it, together with the prefix that koa-mount stripped from it. */
function pathOf(ctx: KoaContext): string {
  const { mountPath, originalUrl, path, app } = ctx as Routed;
  if (mountPath === undefined || originalUrl === undefined) return path;
  const { request } = (app ?? {}) as App;
  const whole: unknown = request && Reflect.get(request, "path", { req: { url: originalUrl } });
  if (typeof whole !== "string" || (path !== "/" && !whole.endsWith(path))) return path;
  // What is left of the path is parsed as a URL again, which may take a part of it for a host.
  return whole.replace(/\/\/[^@/]+@[^@/]+/g, "");
}

/** What the router leaves on the context: the pattern that runs, and all layers that matched the path. */
interface Routed extends KoaContext {
  readonly _matchedRoute?: unknown;
  readonly matched?: readonly Layer[];
  /** The path the application makes the router use instead; named `routerPath` in routers before release 13. */
  readonly newRouterPath?: string;
  readonly routerPath?: unknown;
  /** The prefix that koa-mount stripped from the path. */
  readonly mountPath?: string;
  readonly originalUrl?: string;
}

interface Layer {
  readonly path: unknown;
  readonly methods: readonly string[];
}

/** Returns the application's `routerPath`; a router that matched has replaced it with the pattern. */
function earlyRouterPath(ctx: KoaContext): string | undefined {
  const { routerPath, _matchedRoute } = ctx as Routed;
  return _matchedRoute === undefined && typeof routerPath === "string" ? routerPath : undefined;
}

/**
 * Returns the layer of the route that runs. Layers of `router.use` have a path but no methods, and precede their route.
 */
function layerOf(ctx: KoaContext): Layer | undefined {
  const { _matchedRoute, matched = [] } = ctx as Routed;
  const fitting = matched.filter(({ methods }) => methods?.includes(ctx.method));
  return fitting.find(({ path }) => path === _matchedRoute) ?? fitting.at(-1);
}
