import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigError, received } from "@spillway/core";

/** Says that what calls a middleware is neither Express nor a server of Node; undefined where it is one of them. */
export function misplaced(req: IncomingMessage, res: ServerResponse): ConfigError | undefined {
  const answers = typeof (res as Partial<ServerResponse> | null)?.setHeader === "function";
  if (answers && typeof req === "object" && req !== null) return undefined;
  const expected = "a request and its response, as Express hands them over";
  const path = "middleware of @spillway/express";
  return new ConfigError([{ path, expected, received: callerOf(req) }]);
}

function callerOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return received(given);
  if ("addHook" in given) return "an instance of Fastify (there is @spillway/fastify)";
  if ("raw" in given) return "a request of Fastify (there is @spillway/fastify)";
  if ("state" in given) return "a context of Koa (there is @spillway/koa)";
  return received(given);
}
