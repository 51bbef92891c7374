import { once } from "node:events";
import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import type Koa from "koa";
import { afterEach, describe, expect, it } from "vitest";
import { keyOf, rateLimit } from "../../src/index.ts";
import { ask } from "../ask.ts";
import { majors } from "../majors.ts";
import { windowOf } from "../window.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(app: Koa): Promise<string> {
  const server = createServer(app.callback());
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(majors)("$name", ({ Koa: Application }) => {
  it("B46: a handler that answers by hand keeps our headers, and nothing is added", async () => {
    const app = new Application();
    app.use(rateLimit(windowOf(1)));
    app.use((ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(202, { "x-own": "1" }).end("by hand");
    });
    const { status, headers, text } = await ask(app);
    expect([status, text]).toEqual([202, "by hand"]);
    expect(headers).toMatchObject({ "x-own": "1", "x-ratelimit-remaining": "0" });
  });

  it("B47: a stream that answered 200 is no failure when its client closes it", async () => {
    const app = new Application();
    const streams: ServerResponse[] = [];
    app.use(rateLimit({ ...windowOf(2), refund: "failed" }));
    app.use((ctx) => {
      const events = new PassThrough();
      events.write("data: first\n\n");
      ctx.type = "text/event-stream";
      ctx.body = events;
      streams.push(ctx.res);
    });
    app.silent = true;
    const url = await listen(app);
    const open = async (): Promise<IncomingMessage> => {
      const [answer] = await once(get(url, { agent: false }), "response");
      return answer;
    };
    const opened = [await open(), await open()];
    expect(opened.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["1", "0"]);
    const closed = once(streams[0]!, "close");
    opened[0]!.destroy();
    await closed;
    expect((await open()).statusCode).toBe(429);
  });

  it.each([
    ["keep their charge", undefined, [429, 429, 429]],
    ["count as failures where failures are given back", "failed", [200, 200, 429]],
  ] as const)("B71: requests whose client gives up %s", async (_, refund, expected) => {
    const app = new Application();
    const arrived: ServerResponse[] = [];
    const limit = rateLimit({ ...windowOf(2), refund });
    app.use(limit);
    app.use(async (ctx) => {
      if (ctx.path === "/slow") {
        arrived.push(ctx.res);
        await once(ctx.res, "close");
      }
      ctx.body = "ok";
    });
    const origin = await listen(app);
    for (let aborted = 0; aborted < (refund ? 5 : 2); aborted++) {
      const asking = get(`${origin}/slow`, { agent: false });
      asking.on("error", () => {});
      await expect.poll(() => arrived.length).toBe(aborted + 1);
      const closed = once(arrived[aborted]!, "close");
      asking.destroy();
      await closed;
    }
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) seen.push((await fetch(origin)).status);
    expect(seen).toEqual(expected);
    expect(await limit.limiter.peek(keyOf.ip("127.0.0.1"))).toMatchObject({ remaining: 0 });
  });
});
