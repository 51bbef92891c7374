import type { NextFunction, Request, Response } from "express";
import { describe, expect, it } from "vitest";
import { everyone, ip, join, memoryStore, preflight, rateLimit, route } from "../../src/index.ts";
import { type Ask, ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { clock, minute, perMinute } from "../minute.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: Request, res: Response): void => void res.send("ok");
  const post = (path: string, ask: Ask = {}): readonly [string, Ask] => [
    path,
    { method: "POST", ...ask },
  ];

  it("B24: gives one allowance to a route, in whatever spelling its path is written", async () => {
    const app = express();
    app.post("/login", perMinute(2), ok);
    const paths = ["/login", "/LOGIN", "/login/", "/login?x=1", "//login"];
    // The router does not match the last to the route: nothing is reached, and nothing charged.
    expect(
      await statuses(
        app,
        paths.map((path) => post(path)),
      ),
    ).toEqual([200, 200, 429, 429, 404]);
  });

  it("B24: does so by route(), for a limiter that several routes share", async () => {
    const app = express();
    const limit = perMinute(2, { key: join(route(), ip()) });
    const router = express.Router();
    router.post("/login", limit, ok);
    app.use("/account", router);
    const paths = ["/account/login", "/ACCOUNT/login", "/Account/LOGIN/", "/account/login?x=1"];
    expect(
      await statuses(
        app,
        paths.map((path) => post(path)),
      ),
    ).toEqual([200, 200, 429, 429]);
  });

  it("B25: gives one allowance to a path and to its percent-encoding where they are one route", async () => {
    const app = express();
    app.get("/login", perMinute(2), ok);
    // Express matches the raw path, so that the encoded forms are other paths, which have no route.
    const paths = ["/login", "/%6Cogin", "/log%69n", "/login", "/login"];
    expect(await statuses(app, paths)).toEqual([200, 404, 404, 200, 429]);
    const parameter = express();
    parameter.get("/u/:name", perMinute(2, { key: route() }), ok);
    expect(await statuses(parameter, ["/u/ada", "/u/%61da", "/u/ad%61"])).toEqual([200, 200, 429]);
  });

  it("B26: has no query in the key of a route", async () => {
    const app = express();
    app.get("/reset", perMinute(1, { key: route() }), ok);
    expect(await statuses(app, ["/reset?a=1", "/reset?a=2"])).toEqual([200, 429]);
  });

  it("B27: keeps one key for a route, whatever stands in its parameters", async () => {
    const store = memoryStore({ clock });
    const app = express();
    app.get("/verify/:code", perMinute(3, { key: route(), store }), ok);
    const paths = [1, 2, 3, 4].map((code) => `/verify/${code}`);
    expect(await statuses(app, paths)).toEqual([200, 200, 200, 429]);
    expect(store.size).toBe(1);
  });

  it("B30: counts each method by its own limit", async () => {
    const store = memoryStore({ clock });
    const app = express();
    app.get("/", perMinute(10, { store }), ok);
    app.post("/", perMinute(2, { store }), ok);
    expect(await statuses(app, Array<string>(5).fill("/"))).toEqual(Array(5).fill(200));
    const { status, headers } = await ask(app, ...post("/"));
    expect([status, headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
  });

  describe("B31", () => {
    const overriding = (req: Request, _res: Response, next: NextFunction): void => {
      const method = req.headers["x-http-method-override"];
      if (req.method === "POST" && typeof method === "string") req.method = method;
      next();
    };
    const overridden = (method: string) =>
      post("/", { headers: { "x-http-method-override": method } });

    it("limits by the method that the router uses", async () => {
      const app = express();
      app.use(overriding);
      app.delete("/", perMinute(1), ok);
      expect(await statuses(app, [overridden("DELETE"), overridden("DELETE")])).toEqual([200, 429]);
      const skipping = express();
      skipping.use(overriding);
      skipping.use(perMinute(1, { skip: ({ method }) => method !== "DELETE" }), ok);
      expect(
        await statuses(skipping, [overridden("DELETE"), overridden("GET"), overridden("DELETE")]),
      ).toEqual([200, 200, 429]);
    });

    it("counts all methods where it stands in front of the override", async () => {
      const app = express();
      app.use(perMinute(2), overriding, ok);
      expect(
        await statuses(app, [overridden("GET"), overridden("DELETE"), overridden("GET")]),
      ).toEqual([200, 200, 429]);
    });
  });

  it("B32: charges HEAD as GET, and refuses it with headers and without a body", async () => {
    const app = express();
    app.get("/", perMinute(3), ok);
    const methods = ["GET", "HEAD", "GET", "HEAD"];
    const answers = [];
    for (const method of methods) answers.push(await ask(app, "/", { method }));
    expect(answers.map(({ headers }) => headers["x-ratelimit-remaining"])).toEqual([
      "2",
      "1",
      "0",
      "0",
    ]);
    expect(answers[3]).toMatchObject({ status: 429, text: "" });
    expect(answers[3]!.lines("retry-after")).toEqual(["60"]);
  });

  it("B33: leaves preflights uncounted by rule, and counts them without", async () => {
    const interleaved = ["OPTIONS", "GET", "OPTIONS", "GET", "OPTIONS", "GET"];
    for (const [options, remaining] of [
      [{ skip: preflight }, [undefined, "2", undefined, "1", undefined, "0"]],
      [{}, ["2", "1", "0", "0", "0", "0"]],
    ] as const) {
      const app = express();
      app.use(perMinute(3, options));
      app.options("/", ok).get("/", ok);
      const found: unknown[] = [];
      for (const method of interleaved) {
        found.push((await ask(app, "/", { method })).headers["x-ratelimit-remaining"]);
      }
      expect(found).toEqual(remaining);
    }
  });

  it("B36: charges one limiter once for a request, and different ones each", async () => {
    const codes: string[] = [];
    const onWarning = ({ code }: { code: string }): number => codes.push(code);
    const limit = perMinute(2, { onWarning });
    const app = express();
    app.use(limit);
    app.get("/", limit, ok);
    const answers = [await ask(app), await ask(app), await ask(app)];
    expect(answers.map((a) => [a.status, a.headers["x-ratelimit-remaining"]])).toEqual([
      [200, "1"],
      [200, "0"],
      [429, "0"],
    ]);
    const store = memoryStore({ clock });
    const [a, b] = ["a", "b"].map((name) =>
      perMinute(2, { name, store, key: everyone(), onWarning }),
    );
    const other = express();
    other.get("/", a!, b!, ok);
    await ask(other);
    for (const limited of [a!, b!]) {
      expect((await limited.limiter.peek("everyone")).remaining).toBe(1);
    }
    expect(codes).toEqual([]);
  });

  it("B38: charges a batch by its operations, once the body is read", async () => {
    const app = express().use(express.json());
    const cost = ({ body }: { body?: unknown }): number => (body as unknown[]).length;
    app.post("/", rateLimit({ ...minute, limit: 10, cost, store: memoryStore({ clock }) }), ok);
    const batch = (operations: number) => ask(app, "/", { body: Array(operations).fill({}) });
    const answers = [await batch(5), await batch(5), await batch(5), await batch(11)];
    expect(answers.map((a) => [a.status, a.headers["x-ratelimit-remaining"]])).toEqual([
      [200, "5"],
      [200, "0"],
      [429, "0"],
      [429, "0"],
    ]);
    expect(answers[2]!.lines("retry-after")).toEqual(["60"]);
    expect(answers[3]!.lines("retry-after")).toEqual([]);
  });
});
