import { type IncomingMessage, type RequestOptions, request, type ServerResponse } from "node:http";
import type { HttpOptions } from "../../http/index.ts";
import type { Limiter } from "../../limiter.ts";
import { type Answer, answerOf } from "./answer.ts";
import type { HttpApp, Serve } from "./app.ts";
import { optionsFor } from "./options-for.ts";
import { type TransportName, transportTo } from "./transport.ts";

/** An application as a test describes it; omitted parts are empty. */
export interface Plan extends Partial<Omit<HttpApp, "limits">> {
  /** Their functions take Node's request. */
  readonly limits: readonly HttpOptions<IncomingMessage>[];
  /** How often each is mounted. Default 1. */
  readonly times?: number;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The client's address, in memory only. Default 127.0.0.1. */
  readonly peer?: string | undefined;
}

/** A request in progress. */
export interface Exchange {
  /** Resolves when the response head has arrived; rejects if none comes. */
  readonly head: Promise<IncomingMessage>;
  /** Resolves with the response once the server is done with it too. */
  readonly answer: Promise<Answer>;
  /** Resolves when the server is done, whether or not the client got a response. */
  readonly over: Promise<void>;
  /** Breaks the connection. */
  leave(): void;
}

/** A served application and its clients. */
export interface Site {
  readonly limiters: readonly Limiter[];
  get(path?: string, ask?: Ask): Promise<Answer>;
  /** Sends requests one after another and resolves with the statuses. */
  statuses(asks: readonly (Ask | string)[]): Promise<number[]>;
  start(path?: string, ask?: Ask): Exchange;
  /** Returns Node's response to a request. */
  responseTo(raw: IncomingMessage): ServerResponse;
  close(): Promise<void>;
}

/** Serves a plan. */
export async function siteOf(plan: Plan, serve: Serve, over: TransportName): Promise<Site> {
  const { limits, times = 1, ...rest } = plan;
  const served = await serve({
    routes: { "GET /": {} },
    before: {},
    users: {},
    trust: undefined,
    usage: undefined,
    onError: undefined,
    ...rest,
    limits: limits.map((options) => ({ options: optionsFor(options), times })),
  });
  const { server } = served;
  const responses = new WeakMap<IncomingMessage, ServerResponse>();
  const ends = new Map<string, () => void>();
  server.prependListener("request", (req: IncomingMessage, res: ServerResponse) => {
    responses.set(req, res);
    res.once("close", () => ends.get(String(req.headers[tag]))?.());
  });
  const transport = await transportTo(server, over);
  const running = new Set<Exchange>();
  let count = 0;

  function start(path = "/", { method = "GET", headers = {}, ...ask }: Ask = {}): Exchange {
    const name = String(++count);
    const over = new Promise<void>((resolve) => ends.set(name, resolve));
    const asked = request({
      ...transport.dial("peer" in ask ? ask.peer : "127.0.0.1"),
      method,
      path,
      headers: { ...headers, [tag]: name, connection: "close" },
    } as RequestOptions);
    const head = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve);
      asked.on("error", reject);
    });
    const answer = head.then(async (message) => {
      const answer = await answerOf(message);
      await over;
      return answer;
    });
    for (const promise of [head, answer]) promise.catch(() => {});
    asked.end();
    const exchange: Exchange = {
      head,
      answer,
      over: over.then(() => {
        ends.delete(name);
        running.delete(exchange);
      }),
      leave: () => void asked.destroy(),
    };
    running.add(exchange);
    return exchange;
  }

  const get = (path?: string, ask?: Ask): Promise<Answer> => start(path, ask).answer;

  return {
    limiters: served.limiters,
    get,
    start,
    responseTo: (raw) => responses.get(raw)!,

    async statuses(asks) {
      const statuses: number[] = [];
      for (const ask of asks) {
        const { status } = typeof ask === "string" ? await get(ask) : await get("/", ask);
        statuses.push(status);
      }
      return statuses;
    },

    async close() {
      for (const exchange of running) exchange.leave();
      server.closeAllConnections();
      await transport.close();
      await served.close?.();
    },
  };
}

/** The field that identifies a request when it ends on the server. */
const tag = "x-exchange";
