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
  readonly hostname?: string;
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
  /** What the application's requests inherit from. */
  readonly request?: object;
}

/** Koa 2 and 3, as data. */
export const koa: Framework<KoaContext> = {
  raw: (ctx) => ctx.req,
  response: (ctx) => ctx.res,
  address: (ctx) => ctx.ip,
  // Koa believes whatever is truthy.
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
    return methods && methods.length > maxNamedMethods ? ["ALL"] : methods;
  },
  target(ctx) {
    const { newRouterPath, mountPath, originalUrl, path, app } = ctx as Routed;
    const rewritten = newRouterPath ?? earlyRouterPath(ctx);
    if (rewritten !== undefined) return rewritten;
    if (mountPath === undefined || originalUrl === undefined) return path;
    // What it is mounted under is cut off the path, which is read of the URL in a way of Koa's own.
    const { request } = (app ?? {}) as App;
    const whole: unknown = request && Reflect.get(request, "path", { req: { url: originalUrl } });
    if (typeof whole !== "string" || (path !== "/" && !whole.endsWith(path))) return path;
    // What is left of a path is read as a URL again, and may then have a host.
    return whole.replace(/\/\/[^@/]+@[^@/]+/g, "");
  },
  // Releases of Koa do not agree on user information.
  host(ctx) {
    const forwarded = (ctx.app as App | undefined)?.proxy && ctx.get("X-Forwarded-Host");
    return forwarded ? undefined : ctx.hostname;
  },
};

/** What the router leaves on the context: the pattern of what runs, and all that matched the path. */
interface Routed extends KoaContext {
  readonly _matchedRoute?: unknown;
  readonly matched?: readonly Layer[];
  /** Where the application has the router look instead; the second one of routers before release 13. */
  readonly newRouterPath?: string;
  readonly routerPath?: unknown;
  /** What koa-mount cut off the path. */
  readonly mountPath?: string;
  readonly originalUrl?: string;
}

interface Layer {
  readonly path: unknown;
  readonly methods: readonly string[];
}

/** What the application wrote: the router writes the pattern of what matched in its place. */
function earlyRouterPath(ctx: KoaContext): string | undefined {
  const { routerPath, _matchedRoute } = ctx as Routed;
  return _matchedRoute === undefined && typeof routerPath === "string" ? routerPath : undefined;
}

/** More methods than RFC 9110 and 5789 have are not named one by one: `router.all` lists each that Node knows. */
const maxNamedMethods = 9;

/** The route that runs; what was given to `router.use` has a path and no methods, and stands before its route. */
function layerOf(ctx: KoaContext): Layer | undefined {
  const { _matchedRoute, matched = [] } = ctx as Routed;
  const fitting = matched.filter(({ methods }) => methods?.includes(ctx.method));
  return fitting.find(({ path }) => path === _matchedRoute) ?? fitting.at(-1);
}
