import type { IncomingMessage, ServerResponse } from "node:http";
import type { Decision } from "@spillway/core";
import { claimsOf, type Framework, isEveryMethod } from "@spillway/core/http";
import { mountPattern } from "./mount-pattern.ts";

/**
 * The parts of Express's request that are used here; the types of both majors fit. If an option's function needs more,
 * annotate its request, as in `(req: express.Request) => req.get("x-tenant")`, or all of them with
 * `rateLimit<express.Request>`.
 */
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

/** The part of an Express application that is used here. */
export interface ExpressApplication {
  /** The prototype of the application's requests. */
  readonly request: object;
}

type Settings = Readonly<Record<string, unknown>>;

interface App {
  readonly settings?: Settings;
}

/** The setting by which Express records that "trust proxy" was never set. */
const untouched = "@@symbol:trust_proxy_default";

/** Express 4 and 5, as data. An upgrade has no response, and an application only if one is given. */
export const express: Framework<ExpressRequest & { res?: ServerResponse; auth?: unknown }> = {
  raw: (req) => req,
  response: (req) => req.res,
  address: (req) => req.ip,
  trust({ app }) {
    const settings = trustingSettings(app as App | undefined);
    return settings === undefined || settings[untouched] === true ? undefined : "own";
  },
  doubts({ app }) {
    if ((app as App | undefined)?.settings?.["trust proxy"] !== true) return undefined;
    const message =
      'With "trust proxy" true the address is what the client wrote: anyone can escape the limit. Set it to the number of proxies, or to their addresses.';
    return { code: "SPILLWAY_TRUSTS_EVERYBODY", message };
  },
  user: (req) => req.user,
  claims: ({ auth, user }) => claimsOf(auth) ?? user,
  route({ route, baseUrl = "", app }) {
    const path = (route as { path?: unknown } | undefined)?.path;
    return path === undefined ? undefined : mountPattern(app, route, baseUrl) + String(path);
  },
  methods({ route, method = "GET" }) {
    const methods = (route as { methods?: Readonly<Record<string, boolean>> } | undefined)?.methods;
    if (methods === undefined) return undefined;
    const name = method === "HEAD" && !methods.head ? "get" : method.toLowerCase();
    const every = !methods[name] || isEveryMethod(Object.keys(methods).length);
    return every ? ["ALL"] : undefined;
  },
  // A router without an application sets no path.
  target: ({ path, baseUrl = "", originalUrl }) =>
    typeof path === "string" ? baseUrl + path : originalUrl,
};

/** Returns the settings that decide whom to trust. A mounted application without its own inherits its parent's. */
function trustingSettings(app: App | undefined): Settings | undefined {
  let settings = app?.settings ?? null;
  while (settings !== null && !Object.hasOwn(settings, "trust proxy")) {
    settings = Object.getPrototypeOf(settings) as Settings | null;
  }
  return settings ?? undefined;
}
