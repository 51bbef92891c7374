import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { manualClock } from "@spillway/core/testing";
import express5, { type NextFunction, type Request, type Response } from "express";
import { describe, expect, it, vi } from "vitest";
import { memoryStore, rateLimit } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";

describe.each(majors)("$name", ({ express }) => {
  const limited = () =>
    rateLimit({ limit: 5, window: "1m", store: memoryStore({ clock: manualClock() }) });
  const wipe = (_error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.status(500).send("wiped");
  };
  const fail = (): never => {
    throw new Error("broken");
  };

  it("adds one property to a request, and none to a response", async () => {
    const app = express();
    const own: PropertyKey[][] = [];
    const look = (req: Request, res: Response, next: NextFunction): void => {
      own.push([...Reflect.ownKeys(req), ...Reflect.ownKeys(res)]);
      next();
    };
    app.use(look, limited(), look, (_req: Request, res: Response) => void res.send("ok"));
    await ask(app);
    const added = own[1]!.filter((key) => !own[0]!.includes(key));
    expect(added).toEqual([Symbol.for("spillway.carried/1")]);
  });

  it("tells nothing before the limiter ran, and each request its own decision", async () => {
    const app = express();
    const before: unknown[] = [];
    app.use((req, _res, next) => {
      before.push(req.rateLimit);
      next();
    });
    app.use(limited(), (req, res) => void res.json(req.rateLimit?.remaining));
    const answers = await Promise.all([ask(app), ask(app), ask(app)]);
    expect(answers.map(({ text }) => text).sort()).toEqual(["2", "3", "4"]);
    expect(before).toEqual([undefined, undefined, undefined]);
  });

  it("lets the application set and define what it likes", async () => {
    const app = express();
    app.use(limited(), (req: Request & { rateLimit?: unknown }, res: Response) => {
      req.rateLimit = { own: 1 } as never;
      const set = req.rateLimit;
      Object.defineProperty(req, "rateLimit", { value: "defined" });
      res.json([set, req.rateLimit]);
    });
    expect((await ask(app)).text).toBe('[{"own":1},"defined"]');
  });

  it("stands above what others put in its place before", async () => {
    const app = express();
    app.request.rateLimit = null as never;
    app.use((req, _res, next) => {
      if (req.path === "/own") {
        Object.defineProperty(req, "rateLimit", { value: "of the request", writable: true });
      }
      next();
    });
    app.use(limited(), (req, res) => void res.json([req.rateLimit?.remaining]));
    expect((await ask(app)).text).toBe("[4]");
    expect((await ask(app, "/own")).text).toBe("[3]");
  });

  it("tells of the latest limiter, also of one before the application", async () => {
    const [before, within] = [limited(), rateLimit({ name: "in", limit: 9, window: "1h" })];
    const app = express();
    app.use(within, (req, res) => void res.json(req.rateLimit?.policy));
    const listener = (req: IncomingMessage, res: ServerResponse): void =>
      before(req, res, () => app(req as Request, res as Response));
    expect((await ask(listener)).text).toBe('"in"');
  });

  it("tells it of what inherits from a request", async () => {
    const app = express();
    app.use(limited(), (req, res) => {
      res.json((Object.create(req) as Request).rateLimit?.remaining);
    });
    expect((await ask(app)).text).toBe("4");
  });

  it("takes requests for two that share their lists of fields, or replace them", async () => {
    const app = express();
    const reached: unknown[] = [];
    const limit = limited();
    app.use("/in", limit, (req, res) => {
      reached.push(req.rateLimit?.remaining);
      res.end();
    });
    app.use("/batch", (req, res) => {
      for (let i = 0; i < 7; i++) {
        const { headers, rawHeaders } = req;
        const part = Object.assign(new IncomingMessage(req.socket), { headers, rawHeaders });
        Object.assign(part, { method: "GET", url: "/in" });
        app(part as Request, new ServerResponse(part) as Response);
      }
      res.end();
    });
    await ask(app, "/batch");
    expect(reached).toEqual([4, 3, 2, 1, 0]);
    await limit.limiter.reset("ip:127.0.0.1");
    const twice = express();
    twice.use(limit);
    twice.use((req, _res, next) => {
      req.rawHeaders = [...req.rawHeaders];
      next();
    });
    twice.use(limit, (req, res) => void res.json(req.rateLimit?.remaining));
    expect((await ask(twice)).text).toBe("4");
  });

  it.each([
    ["a copy", (req: Request) => Object.assign(new IncomingMessage(req.socket), req)],
    ["what inherits from it", (req: Request) => Object.create(req) as Request],
  ])("takes %s of a request for another", async (_, of) => {
    const app = express();
    const reached: unknown[] = [];
    const [whole, part] = [limited(), limited()];
    app.use(whole);
    app.use("/batch", (req, res) => {
      for (let i = 0; i < 7; i++) {
        const copy = of(req);
        part(copy, new ServerResponse(copy), () => void reached.push(i));
      }
      res.json(req.rateLimit?.remaining);
    });
    expect((await ask(app, "/batch")).text).toBe("4");
    expect(reached).toEqual([0, 1, 2, 3, 4]);
  });

  it("sets headers of a response that is handed on with another request, and holds them no more", async () => {
    const parent = express();
    const child = express();
    parent.use(limited(), ({ socket, url, method, headers }, res) => {
      const other = Object.assign(new IncomingMessage(socket), { url, method, headers });
      child(other as Request, res);
    });
    child.get("/", (_req, res) => void res.send("ok"));
    child.use(fail, wipe);
    const told = async (path: string): Promise<unknown> =>
      (await ask(parent, path)).headers["x-ratelimit-limit"];
    expect([await told("/"), await told("/broken")]).toEqual(["5", undefined]);
  });

  it.each([
    ["before", true],
    ["behind", false],
  ])("holds headers of a response that a middleware %s puts a proxy around", async (_, before) => {
    const app = express();
    const limit = limited();
    app.use((req, res, next) => {
      const proxy = new Proxy(res, {});
      limit(req, before ? proxy : res, () => {
        for (const name of res.getHeaderNames()) res.removeHeader(name);
        if (before) next();
        else {
          proxy.writeHead(200);
          res.end("ok");
        }
      });
    });
    app.use((_req, res) => void res.send("ok"));
    const { text, headers } = await ask(app);
    expect([text, headers["x-ratelimit-limit"]]).toEqual(["ok", "5"]);
  });

  it.each<[string, (res: Response) => Response]>([
    ["a proxy of it", (res) => new Proxy(res, {})],
    ["what inherits from it", (res) => Object.create(res) as Response],
  ])("tells of the limiter that met the response last, as %s", async (_, of) => {
    const app = express();
    const inner = rateLimit({ limit: 1, window: "1h", key: () => "k", throw: true });
    app.use(limited(), (req, res, next) => inner(req, of(res), next));
    app.use((_req, res) => void res.send("ok"));
    app.use((_error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      const headers = { "CDN-Cache-Control": "max-age=60", "Cache-Control": "public" };
      res.status(429).set(headers).send("no");
    });
    const first = await ask(app);
    const second = await ask(app);
    expect([first.headers["x-ratelimit-limit"], first.headers["x-ratelimit-remaining"]]).toEqual([
      "1",
      "0",
    ]);
    expect(second.headers["cache-control"]).toBe("no-store");
    expect(second.headers).not.toHaveProperty("cdn-cache-control");
    expect(second.headers).not.toHaveProperty("etag");
  });

  it("holds headers of a response that is handed on with what is made of its request", async () => {
    const parent = express();
    const child = express();
    parent.use(limited(), (req, res) => child(Object.create(req) as Request, res));
    child.use(fail, wipe);
    const { status, headers } = await ask(parent);
    expect([status, headers["x-ratelimit-limit"]]).toEqual([500, "5"]);
  });

  it.each(["sync", "async"])("goes on where the place takes no decision, %s", async (kind) => {
    const app = express();
    Object.defineProperty(app.request, "rateLimit", { get: () => "fixed" });
    const key = (): string | Promise<string> => (kind === "sync" ? "k" : Promise.resolve("k"));
    app.use(rateLimit({ limit: 5, window: "1m", key }));
    app.use((req, res) => void res.json(req.rateLimit?.remaining));
    expect((await ask(app)).text).toBe("4");
  });

  it("goes on with a request that takes no property, also after a promise", async () => {
    const app = express();
    const limit = rateLimit({ limit: 5, window: "1m", key: async () => "k" });
    app.use((req, res, next) => {
      const { method, url, headers, socket } = req;
      const given = { method, url, headers, socket, res };
      limit(Object.freeze(Object.assign(Object.create(app.request), given)), res, next);
    });
    app.use((_req, res) => void res.send("reached"));
    expect((await ask(app)).text).toBe("reached");
  });

  it("takes the place of what may be written and not be configured", async () => {
    const app = express();
    app.use((req, _res, next) => {
      Object.defineProperty(req, "rateLimit", { value: "of the request", writable: true });
      next();
    });
    app.use(limited(), (req, res) => void res.json(req.rateLimit?.remaining));
    expect((await ask(app)).text).toBe("4");
  });

  it("holds headers of a response that belongs to another request than it was given", async () => {
    const app = express();
    const limit = limited();
    app.use((req, res, next) => {
      const { method, url, headers, socket } = req;
      limit({ method, url, headers, socket, res } as unknown as Request, res, next);
    });
    app.use(fail, wipe);
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await ask(app);
      expect([status, headers["x-ratelimit-limit"]]).toEqual([500, "5"]);
    }
  });

  it("holds headers of a mounted application that hands the request back", async () => {
    const parent = express();
    const child = express();
    child.use(limited(), (_req: Request, _res: Response, next: NextFunction) => next());
    parent.use("/child", child);
    parent.use(fail, wipe);
    const { status, headers } = await ask(parent, "/child");
    expect([status, headers["x-ratelimit-remaining"]]).toEqual([500, "4"]);
  });

  it("leaves the last word to who wrapped this response's writeHead first, at every request", async () => {
    const app = express();
    app.use((_req, res, next) => {
      const inner = res.writeHead as (...args: unknown[]) => Response;
      res.writeHead = ((...args: unknown[]) => {
        res.removeHeader("X-RateLimit-Reset");
        res.setHeader("X-Wrapped", "1");
        return inner.apply(res, args);
      }) as Response["writeHead"];
      next();
    });
    app.use(limited(), fail, wipe);
    for (let i = 0; i < 2; i++) {
      const { headers } = await ask(app);
      expect([headers["x-wrapped"], headers["x-ratelimit-limit"]]).toEqual(["1", "5"]);
      expect(headers["x-ratelimit-reset"]).toBeUndefined();
    }
  });

  it("lets nobody who wrapped this response's writeHead first make a refusal cacheable", async () => {
    const app = express();
    app.use("/first", limited());
    app.use((_req, res, next) => {
      const inner = res.writeHead as (...args: unknown[]) => Response;
      res.writeHead = ((...args: unknown[]) => {
        res.setHeader("Cache-Control", "public, max-age=60");
        res.setHeader("ETag", '"1"');
        res.removeHeader("X-RateLimit-Limit");
        return inner.apply(res, args);
      }) as Response["writeHead"];
      next();
    });
    app.use(rateLimit({ limit: 0, window: "1m" }));
    await ask(app, "/first");
    const { status, headers } = await ask(app);
    expect([status, headers["cache-control"], headers.etag, headers["x-ratelimit-limit"]]).toEqual([
      429,
      "no-store",
      undefined,
      "0",
    ]);
  });

  it("leaves requests alone that no limiter met", async () => {
    const app = express();
    app.use("/limited", limited());
    app.use((req, res) => void res.json(req.rateLimit ?? null));
    await ask(app, "/limited");
    const { headers, text } = await ask(app, "/free");
    expect([headers["x-ratelimit-limit"], text]).toEqual([undefined, "null"]);
  });

  it("works beside another copy of the package", async () => {
    vi.resetModules();
    const copy = await import("../src/index.ts");
    expect(copy.rateLimit).not.toBe(rateLimit);
    const app = express();
    const store = memoryStore({ clock: manualClock() });
    app.use(limited());
    app.use(copy.rateLimit({ limit: 3, window: "1h", store, name: "other" }));
    app.use((req, res) => void res.json(req.rateLimit?.policy));
    const { headers, text } = await ask(app);
    expect([headers["x-ratelimit-limit"], text]).toEqual(["3", '"other"']);
  });
});

it("works on a router without an application, and on one again", async () => {
  const limit = rateLimit({ limit: 5, window: "1m", store: memoryStore({ clock: manualClock() }) });
  const router = express5.Router();
  router.use(limit, (req, res) => void res.end(String(req.rateLimit?.remaining)));
  const bare = createServer((req, res) => {
    router(req as Request, res as Response, () => res.end("none"));
  });
  const app = express5();
  app.use(limit, (req, res) => void res.send(String(req.rateLimit?.remaining)));
  const listener = bare.listeners("request")[0] as Parameters<typeof ask>[0];
  const bodies: string[] = [];
  for (const one of [listener, app, listener, app]) bodies.push((await ask(one)).text);
  expect(bodies).toEqual(["4", "3", "2", "1"]);
});
