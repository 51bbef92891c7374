import type { Framework } from "@spillway/core/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { pathOfRoute, type RouterOptions, routedPath } from "./routed-path.ts";

/** Fastify 5, as data. */
export const fastify: Framework<FastifyRequest> = {
  raw: (request) => request.raw,
  // Fastify's request does not know its response; hooks pass it to the guard.
  response: () => undefined,
  address: (request) => request.ip,
  trust({ server }) {
    const { trustProxy } = optionsOf(server);
    if (trustProxy === undefined) return undefined;
    // Since 5.12.1 Fastify takes a number for "trust nobody", which would make all clients behind the proxy one client.
    return typeof trustProxy === "number" && trustProxy >= 1 ? trustProxy : "own";
  },
  doubts({ server }) {
    const { trustProxy } = optionsOf(server);
    if (trustProxy === true) {
      const message =
        "With trustProxy true the address is what the client wrote: anyone can escape the limit. Set it to the addresses of the proxies.";
      return { code: "SPILLWAY_TRUSTS_EVERYBODY", message };
    }
    if (typeof trustProxy !== "number") return undefined;
    const message =
      'Fastify 5.12.1 and newer take a number in trustProxy for "trust nobody": request.ip is the address of the proxy. This limiter counts the hops itself; set trustProxy to the addresses of the proxies to have it right everywhere.';
    return { code: "SPILLWAY_HOPS_IGNORED", message };
  },
  user: (request) => (request as { user?: unknown }).user,
  claims: (request) => (request as { user?: unknown }).user,
  route({ routeOptions, server }) {
    const { url, prefixTrailingSlash } = routeOptions as Pattern;
    return patternOf({ url, prefix: server.prefix, prefixTrailingSlash });
  },
  methods: (request) => methodsOf(request.routeOptions.method),
  // The path after the application's `rewriteUrl`; `originalUrl` is what the client sent.
  target({ raw: { url = "/" }, server, routeOptions, params, is404 }) {
    if (!url.startsWith("/") && routeOptions.url !== undefined && !is404) {
      return pathOfRoute(routeOptions.url, params as Readonly<Record<string, unknown>>);
    }
    const options = optionsOf(server);
    return routedPath(url, options.routerOptions ?? options);
  },
  emptyParams: true,
  // Fastify keeps headers apart from Node's response, and writes them all at once.
  setsFields: true,
};

/**
 * Returns the methods that a route is named after. If GET is one of several, Fastify adds HEAD as a separate route that
 * knows nothing of the others, so GET stands for all.
 */
export function methodsOf(method: string | readonly string[]): readonly string[] {
  const methods = [method].flat();
  return methods.includes("GET") || methods.includes("HEAD") ? ["GET"] : methods;
}

/** The parts of a route that determine its pattern. */
interface Pattern {
  readonly url?: string | undefined;
  readonly prefix?: string | undefined;
  readonly prefixTrailingSlash?: string | undefined;
}

/**
 * Returns the pattern of a route. For the root of a plugin with a prefix, Fastify creates routes with and without a
 * slash: early releases name each as it is, later ones all by the bare prefix, except the HEAD they add.
 */
export function patternOf({ url, prefix, prefixTrailingSlash }: Pattern): string | undefined {
  const rooted = prefix && prefixTrailingSlash !== "slash";
  return rooted && url === `${prefix}/` ? prefix : url;
}

interface Options extends RouterOptions {
  readonly trustProxy?: unknown;
  /** When absent, the router's options are top-level options. */
  readonly routerOptions?: RouterOptions;
}

const known = new WeakMap<FastifyInstance, Options>();

/** Returns the application's options, which Fastify keeps under a symbol. */
function optionsOf(app: FastifyInstance): Options {
  let options = known.get(app);
  if (!options) {
    options = findOptions(app);
    known.set(app, options);
  }
  return options;
}

function findOptions(app: FastifyInstance): Options {
  let instance: object | null = app;
  while (instance) {
    const symbols = Object.getOwnPropertySymbols(instance);
    const key = symbols.find(({ description }) => description === "fastify.options");
    if (key) return (instance as Record<symbol, Options>)[key]!;
    instance = Object.getPrototypeOf(instance) as object | null;
  }
  return {};
}
