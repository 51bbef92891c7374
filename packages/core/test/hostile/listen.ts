import {
  createServer,
  type IncomingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { onTestFinished } from "vitest";
import { answerOf, connection } from "../../src/testing/index.ts";
import type { BareRequest } from "../http-scenarios/bare-server.ts";

/** A response as the client received it, without what only suites need. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Serves a handler until the test ends, to clients in memory. Its rejections are answered with 500. */
export async function listen(
  handler: (req: BareRequest, res: ServerResponse) => Promise<unknown>,
): Promise<{
  readonly server: Server;
  get(headers?: Readonly<Record<string, string>>, method?: string): Promise<Answered>;
}> {
  const server = createServer((req: BareRequest, res) => {
    req.res = res;
    handler(req, res).catch((error: unknown) => {
      if (!res.headersSent) res.writeHead(500);
      res.end(String(error));
    });
  });
  onTestFinished(() => server.closeAllConnections());
  return {
    server,
    get: (headers = {}, method = "GET") =>
      new Promise((resolve, reject) => {
        const asked = request({
          createConnection: () => connection(server, "192.0.2.1"),
          method,
          headers: { ...headers, connection: "close" },
        });
        asked.on("response", (message) => answerOf(message).then(resolve, reject));
        asked.on("error", reject);
        asked.end();
      }),
  };
}
