import type { OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { RateLimitError } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const handler = async (): Promise<string> => "ok";

describe("rate headers", () => {
  const limited = async (): Promise<FastifyInstance> => {
    const app = Fastify();
    await app.register(rateLimit, windowOf(5));
    return app;
  };

  it("are the reply's own, for later hooks and for handlers", async () => {
    const app = await limited();
    app.get("/", async (_, reply) => reply.getHeader("x-ratelimit-limit"));
    expect((await app.inject("/")).body).toBe("5");
  });

  it.each<[string, (reply: FastifyReply) => unknown]>([
    ["a hijacked reply ends", (reply) => void reply.hijack().raw.end("ok")],
    [
      "a hijacked reply has headers of its own",
      (reply) => void reply.hijack().raw.writeHead(200, { "X-RateLimit-Limit": "9" }).end("ok"),
    ],
    [
      "a hijacked reply has a header without a value",
      (reply) =>
        void reply
          .hijack()
          .raw.writeHead(200, {
            ...(reply.getHeaders() as OutgoingHttpHeaders),
            "x-own": undefined,
          })
          .end("ok"),
    ],
    ["a stream is sent", (reply) => reply.send(Readable.from(["ok"]))],
    ["a Response is sent", (reply) => reply.send(new Response("ok"))],
    [
      "somebody has removed them",
      (reply) => {
        for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
        return reply.send("ok");
      },
    ],
    [
      "somebody has changed them",
      (reply) => reply.header("X-RateLimit-Limit", ["7", "8"]).send("ok"),
    ],
  ])("go out once where %s", async (_, answer) => {
    const app = await limited();
    app.get("/", (_request, reply) => void answer(reply));
    const { headers, body } = await app.inject("/");
    expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual(["5", "4"]);
    expect(body).toBe("ok");
  });
});

describe("a refusal", () => {
  it("is sent as it was written, whatever earlier hooks did to the reply", async () => {
    const app = Fastify();
    app.addHook("onRequest", async (_, reply) => {
      reply.header("content-encoding", "gzip").header("content-length", "3");
      reply.header("etag", '"v1"').header("cache-control", "public, max-age=300");
      reply.serializer(() => "something else");
    });
    await app.register(rateLimit, { ...windowOf(0), body: "problem" });
    app.get("/", handler);
    const { statusCode, headers, json } = await app.inject("/");
    expect(statusCode).toBe(429);
    expect(json()).toMatchObject({ status: 429, limit: 0 });
    expect(headers).toMatchObject({
      "content-type": "application/problem+json",
      "cache-control": "no-store",
    });
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("etag");
  });

  it("goes out without what onSend adds for a cache", async () => {
    const app = Fastify();
    app.addHook("onSend", async (_, reply) => void reply.header("etag", '"v1"'));
    await app.register(rateLimit, windowOf(0));
    app.get("/", handler);
    const { headers } = await app.inject("/");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers).not.toHaveProperty("etag");
  });

  it("goes through onSend, which may add to it", async () => {
    const app = Fastify();
    app.addHook("onSend", async (_, reply, payload) => {
      reply.header("x-length", String((payload as string).length));
      return payload;
    });
    await app.register(rateLimit, windowOf(0));
    app.get("/", handler);
    const { headers, body } = await app.inject("/");
    expect(headers["x-length"]).toBe(String(body.length));
  });

  it("ends an answer that somebody began without finishing it, and adds nothing", async () => {
    const app = Fastify();
    app.addHook("onRequest", async (_, { raw }) => void raw.write("begun"));
    await app.register(rateLimit, windowOf(0));
    app.get("/", handler);
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body]).toEqual([200, "begun"]);
  });

  it("adds nothing to what onRefused has sent", async () => {
    const app = Fastify();
    const replies = new Map<unknown, (text: string) => void>();
    app.addHook("onRequest", async (request, { raw }) => {
      replies.set(request, (text) => void raw.writeHead(429).end(text));
    });
    await app.register(rateLimit, {
      ...windowOf(0),
      onRefused: (_, request) => replies.get(request)!("mine"),
    });
    app.get("/", handler);
    const { statusCode, body } = await app.inject("/");
    expect([statusCode, body]).toEqual([429, "mine"]);
  });
});

describe("headers", () => {
  it("survive error handlers, Fastify's and the application's", async () => {
    for (const own of [false, true]) {
      const app = Fastify();
      if (own) {
        app.setErrorHandler((_, __, reply) => {
          for (const name of Object.keys(reply.getHeaders())) reply.raw.removeHeader(name);
          reply.code(503).send("down");
        });
      }
      await app.register(rateLimit, windowOf(2));
      app.get("/", async () => {
        throw new Error("broken");
      });
      const { statusCode, headers } = await app.inject("/");
      expect([statusCode, headers["x-ratelimit-remaining"]]).toEqual([own ? 503 : 500, "1"]);
    }
  });
});

describe("throw: true", () => {
  async function thrown(setUp: (app: FastifyInstance) => void): Promise<FastifyInstance> {
    const app = Fastify();
    setUp(app);
    await app.register(rateLimit, { ...windowOf(1), throw: true });
    app.get("/", handler);
    await app.inject("/");
    return app;
  }

  it("hands the refusal to setErrorHandler as an error that says all", async () => {
    const errors: unknown[] = [];
    const app = await thrown((instance) => {
      instance.setErrorHandler((error: RateLimitError, _, reply) => {
        errors.push(error);
        reply.code(error.statusCode).send({ code: error.code, wait: error.retryAfter });
      });
    });
    const { statusCode, headers, json } = await app.inject("/");
    expect([statusCode, json()]).toEqual([429, { code: "ERR_RATE_LIMITED", wait: 60_000 }]);
    expect(headers).toMatchObject({ "retry-after": "60", "x-ratelimit-remaining": "0" });
    expect(errors).toEqual([expect.any(RateLimitError)]);
    expect(errors[0]).toMatchObject({ decision: { allowed: false, reason: "limited" } });
  });

  it("leaves the answer to Fastify where the application has no handler", async () => {
    const app = await thrown(() => {});
    const { statusCode, headers, json } = await app.inject("/");
    expect([statusCode, json()]).toEqual([
      429,
      {
        statusCode: 429,
        code: "ERR_RATE_LIMITED",
        error: "Too Many Requests",
        message: "Rate limit exceeded. Retry in 60 seconds.",
      },
    ]);
    expect(headers["retry-after"]).toBe("60");
  });
});

describe("a function of the options that fails", () => {
  const failures: readonly [how: string, limit: () => number | Promise<number>, status: number][] =
    [
      ["throws an error", () => fail(new Error("broken")), 500],
      ["rejects with an error", async () => fail(new Error("broken")), 500],
      ["throws nothing", () => fail(undefined), 500],
      ["rejects with nothing", async () => fail(undefined), 500],
      ["answers nonsense", () => Number.NaN, 500],
      [
        "throws an error with a status",
        () => fail(Object.assign(new Error(), { statusCode: 403 })),
        403,
      ],
    ];

  it.each(failures)("and %s reaches the error handling, and never the handler", async (...row) => {
    const app = Fastify();
    let handled = 0;
    await app.register(rateLimit, { limit: row[1], window: "1m" });
    app.get("/", async () => ++handled);
    expect(await statuses(app, "/", "/")).toEqual([row[2], row[2]]);
    expect(handled).toBe(0);
  });

  function fail(thrown: unknown): never {
    throw thrown;
  }
});
