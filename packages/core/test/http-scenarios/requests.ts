import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestContext } from "../../src/http/request-context.ts";
import { requestContexts } from "../../src/http/request-context.ts";
import { type BareRequest, bareFramework } from "./bare-server.ts";

export interface Said {
  readonly peer?: string | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly method?: string;
  readonly user?: unknown;
}

/** Creates a request with its response, of Node's own classes, that no server has seen. */
export function requestOf(said: Said = {}): BareRequest & { res: ServerResponse } {
  const socket = new Socket();
  const peer = "peer" in said ? said.peer : "127.0.0.1";
  Object.defineProperty(socket, "remoteAddress", { value: peer });
  const req = new IncomingMessage(socket);
  req.method = said.method ?? "GET";
  Object.assign(req.headers, said.headers);
  return Object.assign(req, { res: new ServerResponse(req), user: said.user });
}

/** Creates the context of a request in a guard, for extractors. */
export function callOf(said: Said = {}): RequestContext {
  const options = { trustProxy: "auto", ipv6Prefix: 64 } as const;
  return requestContexts(bareFramework(), options, () => {})(requestOf(said));
}
