import { type IncomingMessage, ServerResponse } from "node:http";
import type { KoaContext } from "./koa.ts";

/** The part of a Koa application that is used here. */
export interface KoaApplication {
  createContext(req: IncomingMessage, res: ServerResponse): object;
}

/**
 * Creates the context of an upgrade, which Koa never sees: the application's if one is given, otherwise one that knows
 * only the request. Neither has a response.
 */
export function upgradeContext(req: IncomingMessage, app: KoaApplication | undefined): KoaContext {
  const context = app ? app.createContext(req, new ServerResponse(req)) : bareContext(req);
  return Object.assign(context as KoaContext, { res: undefined });
}

function bareContext(req: IncomingMessage): Omit<KoaContext, "res"> {
  const { method = "GET", url = "/", headers, socket } = req;
  return {
    req,
    app: undefined,
    ip: socket.remoteAddress ?? "",
    method,
    url,
    path: url.split("?", 1)[0]!,
    headers,
    state: {},
    status: 404,
    body: undefined,
    headerSent: false,
    get: (field) => [headers[field.toLowerCase()] ?? ""].flat().join(", "),
    set: () => {},
  };
}
