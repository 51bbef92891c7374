import type { IncomingMessage, ServerResponse } from "node:http";
import type Koa from "koa";
import supertest, { type Response } from "supertest";

/** A request; a string is the path of a GET. */
export interface Ask {
  readonly method?: "get" | "head" | "post" | "options" | "delete";
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address at the other end of the socket. */
  readonly peer?: string;
  readonly body?: object;
}

/** Sends one request. */
export async function ask(app: Koa, request: Ask | string = {}): Promise<Response> {
  const given = typeof request === "string" ? { path: request } : request;
  const { method = "get", path = "/", headers = {}, peer = "127.0.0.1", body } = given;
  const callback = app.callback();
  const listener = (req: IncomingMessage, res: ServerResponse): void => {
    Object.defineProperty(req.socket, "remoteAddress", { value: peer });
    void callback(req, res);
  };
  const asking = supertest(listener)[method](path).set(headers);
  return body ? asking.send(body) : asking;
}

/** Sends one request after another, and resolves with the statuses. */
export async function statuses(app: Koa, ...requests: (Ask | string)[]): Promise<number[]> {
  const all: number[] = [];
  for (const request of requests) all.push((await ask(app, request)).status);
  return all;
}

/** Sends one request after another, and resolves with what remained after each. */
export async function remaining(app: Koa, ...requests: (Ask | string)[]): Promise<number[]> {
  const all: number[] = [];
  for (const request of requests) {
    all.push(Number((await ask(app, request)).headers["x-ratelimit-remaining"]));
  }
  return all;
}
