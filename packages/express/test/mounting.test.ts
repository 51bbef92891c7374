import { manualClock } from "@spillway/core/testing";
import type { NextFunction, Request, Response } from "express";
import { describe, expect, it } from "vitest";
import { everyone, ip, join, memoryStore, rateLimit, route } from "../src/index.ts";
import { ask, statuses } from "./ask.ts";
import { majors } from "./majors.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: Request, res: Response): void => void res.send("ok");
  const store = () => memoryStore({ clock: manualClock() });
  const limited = (limit: number) => rateLimit({ limit, window: "1m", store: store() });

  it("limits one route, and no other", async () => {
    const app = express();
    app.get("/limited", limited(1), ok);
    app.get("/free", ok);
    expect(await statuses(app, ["/limited", "/limited", "/free", "/free"])).toEqual([
      200, 429, 200, 200,
    ]);
  });

  it("limits the routes of a router, and what it does not match", async () => {
    const app = express();
    const router = express.Router();
    router.use(limited(2));
    router.get("/a", ok);
    app.use("/api", router);
    app.get("/free", ok);
    expect(await statuses(app, ["/api/a", "/api/nope", "/api/a", "/free"])).toEqual([
      200, 404, 429, 200,
    ]);
  });

  it("stands in a list of handlers, and behind app.all and app.param", async () => {
    const app = express();
    const seen: string[] = [];
    app.param("id", (_req, _res, next, id) => {
      seen.push(id);
      next();
    });
    app.all("/u/:id", [limited(1), ok]);
    expect(await statuses(app, ["/u/1", ["/u/2", { method: "PUT" }]])).toEqual([200, 429]);
    expect(seen).toEqual(["1", "2"]);
  });

  it("covers paths without a route, and methods that a route does not have", async () => {
    const app = express();
    app.use(limited(3));
    app.get("/", ok);
    expect(
      await statuses(app, [
        "/nope",
        ["/", { method: "DELETE" }],
        ["/", { method: "OPTIONS" }],
        "/",
      ]),
    ).toEqual([404, 404, 200, 429]);
  });

  it("charges once where it is mounted on an application, its router and its route", async () => {
    const app = express();
    const limit = limited(2);
    const router = express.Router();
    router.use(limit);
    router.get("/", limit, ok);
    app.use(limit);
    app.use("/api", limit, router);
    expect(await statuses(app, ["/api", "/api", "/api"])).toEqual([200, 200, 429]);
  });

  it("charges once where a route hands over to the next", async () => {
    const app = express();
    const limit = limited(2);
    app.get("/", limit, (_req, _res, next) => next("route"));
    app.get("/", limit, ok);
    expect(await statuses(app, ["/", "/", "/"])).toEqual([200, 200, 429]);
  });

  it("serves a router that belongs to no application", async () => {
    const router = express.Router();
    router.use(limited(1) as never);
    router.get("/", (_req, res) => void res.end("ok"));
    const app = (req: unknown, res: { statusCode: number; end(): void }): void =>
      (router as unknown as (req: unknown, res: unknown, next: () => void) => void)(
        req,
        res,
        () => {
          res.statusCode = 404;
          res.end();
        },
      );
    const answers = [await ask(app as never), await ask(app as never)];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect(answers.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual(["0", "0"]);
    expect(answers[1]!.lines("retry-after")).toHaveLength(1);
  });

  it("counts by the pattern of a route, whatever the client writes for it", async () => {
    const app = express();
    const limit = rateLimit({ limit: 2, window: "1m", key: join(route(), ip()), store: store() });
    const router = express.Router();
    router.get("/verify/:code", limit, ok);
    router.get("/other", limit, ok);
    app.use("/api", router);
    app.get(["/one", "/two"], limit, ok);
    app.get(/^\/any/, limit, ok);
    const rows = [
      ["/api/verify/1", "/API/verify/2?x=1", "/Api/VERIFY/3/"],
      ["/api/other", "/api/OTHER", "/api/other?y"],
      ["/one", "/two", "/one"],
      ["/anything", "/anybody", "/any"],
    ];
    for (const paths of rows) expect(await statuses(app, paths)).toEqual([200, 200, 429]);
  });

  it("counts a route's HEAD with its GET, and other methods apart", async () => {
    const app = express();
    const limit = rateLimit({ limit: 1, window: "1m", key: route(), store: store() });
    app.route("/").all(limit).get(ok).post(ok);
    const asks = ["GET", "HEAD", "POST", "POST"].map((method) => ["/", { method }] as const);
    expect(await statuses(app, asks)).toEqual([200, 429, 200, 429]);
  });

  it("knows no route in front of the routes, and asks the next extractor", async () => {
    const app = express();
    app.use(rateLimit({ limit: 1, window: "1m", key: [route(), everyone()], store: store() }));
    app.get("/a", ok).get("/b", ok);
    expect(await statuses(app, ["/a", "/b"])).toEqual([200, 429]);
  });

  it("decides and counts where the head is sent already, and ends what nobody will", async () => {
    const app = express();
    const limit = limited(1);
    const flushed = (_req: Request, res: Response, next: NextFunction): void => {
      res.writeHead(200, { "X-Early": "1" });
      next();
    };
    const reached: unknown[] = [];
    app.get("/", flushed, limit, (req, res) => {
      reached.push(req.rateLimit?.remaining);
      res.end("streamed");
    });
    const [first, second] = [await ask(app), await ask(app)];
    expect([first.status, first.text, first.headers["x-early"]]).toEqual([200, "streamed", "1"]);
    expect([second.status, second.text]).toEqual([200, ""]);
    expect(first.headers).not.toHaveProperty("x-ratelimit-limit");
    expect(reached).toEqual([0]);
  });

  it("leaves an answer alone that is complete already", async () => {
    const app = express();
    const done = (_req: Request, res: Response, next: NextFunction): void => {
      res.status(202).send("done");
      next();
    };
    app.use(done, rateLimit({ limit: 0, window: "1m", store: store() }));
    const { status, text } = await ask(app);
    expect([status, text]).toEqual([202, "done"]);
  });

  it("passes what functions of the options throw to error handling, even if it is no error", async () => {
    for (const thrown of [
      new Error("mine"),
      undefined,
      null,
      "route",
      "router",
      0,
      { status: 404 },
    ]) {
      for (const key of [
        () => {
          throw thrown;
        },
        () => Promise.reject(thrown),
      ]) {
        const app = express();
        const reached: string[] = [];
        const router = express.Router();
        router.get("/", rateLimit({ limit: 1, window: "1m", key, store: store() }), () => {
          reached.push("handler");
        });
        app.use(router);
        app.use((_req, _res, next) => {
          reached.push("fell through");
          next();
        });
        const errors: unknown[] = [];
        app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
          errors.push(error);
          res.status(500).end();
        });
        expect((await ask(app)).status).toBe(500);
        expect(reached).toEqual([]);
        expect(errors).toHaveLength(1);
        expect(errors[0]).toBeInstanceOf(Error);
      }
    }
  });

  it("reports what a next of one's own throws late, and calls it once", async () => {
    const reported: unknown[] = [];
    const limit = rateLimit({
      limit: 9,
      window: "1m",
      store: store(),
      cost: async () => 1,
      onError: (error) => reported.push(error),
    });
    let calls = 0;
    const thrown = new Error("from next");
    const answer = ask((req, res) => {
      limit(req, res, () => {
        calls++;
        res.end("sent");
        throw thrown;
      });
    });
    expect((await answer).text).toBe("sent");
    expect(calls).toBe(1);
    expect(reported).toEqual([thrown]);
  });

  it("has at most three parameters, so that no major takes it for error handling", () => {
    expect(limited(1).length).toBe(3);
  });
});
