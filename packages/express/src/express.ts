import type { IncomingMessage, ServerResponse } from "node:http";
import type { Decision } from "@spillway/core";
import type { Framework } from "@spillway/core/http";
import { mountPattern } from "./mount-pattern.ts";

/**
 * What of Express's request is read here; both majors' own types fit. A function of the options that reads more of it
 * names Express's own, as `(req: express.Request) => req.get("x-tenant")`, or all of them do: `rateLimit<express.Request>`.
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

/** What of Express's application is read here. */
export interface ExpressApplication {
  /** What the application's requests inherit from. */
  readonly request: object;
}

type Settings = Readonly<Record<string, unknown>>;

interface App {
  readonly settings?: Settings;
}

/** By this key Express remembers that nobody has set "trust proxy". */
const untouched = "@@symbol:trust_proxy_default";

/** Express 4 and 5, as data. An upgrade has no response, and an application only where it is named. */
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
  claims: (req) => req.auth ?? req.user,
  route({ route, baseUrl = "", app }) {
    const path = (route as { path?: unknown } | undefined)?.path;
    return path === undefined ? undefined : mountPattern(app, route, baseUrl) + String(path);
  },
  methods({ route, method = "GET" }) {
    const methods = (route as { methods?: Readonly<Record<string, boolean>> } | undefined)?.methods;
    if (methods === undefined) return undefined;
    const name = method === "HEAD" && !methods.head ? "get" : method.toLowerCase();
    return Object.keys(methods).length <= maxNamedMethods && methods[name] ? undefined : ["ALL"];
  },
  // A router on its own has no path.
  target: ({ path, baseUrl = "", originalUrl }) =>
    typeof path === "string" ? baseUrl + path : originalUrl,
};

/** More methods than RFC 9110 and 5789 have are not named one by one: `app.all` lists each that Node knows. */
const maxNamedMethods = 9;

/** The settings that say whom to trust: a mounted application has its parent's where it has none of its own. */
function trustingSettings(app: App | undefined): Settings | undefined {
  let settings = app?.settings ?? null;
  while (settings !== null && !Object.hasOwn(settings, "trust proxy")) {
    settings = Object.getPrototypeOf(settings) as Settings | null;
  }
  return settings ?? undefined;
}
