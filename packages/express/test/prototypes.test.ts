import { createServer } from "node:http";
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

  it("adds no property to a request or response", async () => {
    const app = express();
    const own: PropertyKey[][] = [];
    const look = (req: Request, res: Response, next: NextFunction): void => {
      own.push([...Reflect.ownKeys(req), ...Reflect.ownKeys(res)]);
      next();
    };
    app.use(look, limited(), look, (_req: Request, res: Response) => void res.send("ok"));
    await ask(app);
    // The header fields are in an object that Node makes for the first of them.
    expect(new Set(own[1])).toEqual(new Set(own[0]));
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

  it("holds headers of a mounted application that hands the request back", async () => {
    const parent = express();
    const child = express();
    child.use(limited(), (_req: Request, _res: Response, next: NextFunction) => next());
    parent.use("/child", child);
    parent.use(fail, wipe);
    const { status, headers } = await ask(parent, "/child");
    expect([status, headers["x-ratelimit-remaining"]]).toEqual([500, "4"]);
  });

  it("holds headers where others wrapped this response's writeHead first", async () => {
    const app = express();
    app.use((_req, res, next) => {
      const inner = res.writeHead as (...args: unknown[]) => Response;
      res.writeHead = ((...args: unknown[]) => {
        for (const name of res.getHeaderNames()) res.removeHeader(name);
        res.setHeader("X-Wrapped", "1");
        return inner.apply(res, args);
      }) as Response["writeHead"];
      next();
    });
    app.use(limited(), (_req: Request, res: Response) => void res.send("ok"));
    for (let i = 0; i < 2; i++) {
      const { headers } = await ask(app);
      expect([headers["x-wrapped"], headers["x-ratelimit-limit"]]).toEqual(["1", "5"]);
    }
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
