import { createServer, type RequestListener, request } from "node:http";
import { answerOf, connection, type HttpAnswer } from "@spillway/core/testing";

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The client's address. Default 127.0.0.1. */
  readonly peer?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Sends a request to an application, from any address and without a socket. */
export function ask(app: RequestListener, path = "/", options: Ask = {}): Promise<HttpAnswer> {
  const server = createServer(app);
  const text = options.body === undefined ? undefined : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => connection(server, "peer" in options ? options.peer : "127.0.0.1"),
      method: options.method ?? (text === undefined ? "GET" : "POST"),
      path,
      headers: {
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...(options.headers as Record<string, string | string[]>),
      },
    });
    asked.once("response", (message) => answerOf(message).then(resolve, reject));
    asked.once("error", reject);
    asked.end(text);
  });
}

/** Sends requests one after another, and resolves with their statuses. */
export async function statuses(
  app: RequestListener,
  asks: readonly (string | readonly [path: string, options: Ask])[],
): Promise<number[]> {
  const found: number[] = [];
  for (const each of asks) {
    const [path, options] = typeof each === "string" ? [each, {}] : each;
    found.push((await ask(app, path, options)).status);
  }
  return found;
}
