import cors from "cors";
import type { NextFunction, Request, Response } from "express";
import supertest from "supertest";
import { describe, expect, it } from "vitest";
import { ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { clock, minute, perMinute } from "../minute.ts";

describe.each(majors)("$name", ({ express }) => {
  const ok = (_req: Request, res: Response): void => void res.send("ok");

  describe("B55", () => {
    const hour = { ...minute, window: "1h" } as const;
    const pair = (headers: "legacy" | "draft-8") => [
      perMinute(100, { ...hour, name: "hour", headers }),
      perMinute(2, { name: "minute", headers }),
    ];

    it("describes the tightest policy, in either order", async () => {
      const reset = String((clock() + 60_000) / 1000);
      for (const limits of [pair("legacy"), pair("legacy").reverse()]) {
        const app = express().use(...limits, ok);
        const answers = [await ask(app), await ask(app), await ask(app)];
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
        for (const [i, { headers }] of answers.entries()) {
          expect(headers["x-ratelimit-limit"]).toBe("2");
          expect(headers["x-ratelimit-remaining"]).toBe(["1", "0", "0"][i]);
          expect(headers["x-ratelimit-reset"]).toBe(reset);
        }
      }
    });

    it("lists both by name in a draft, in the order of asking", async () => {
      const app = express().use(...pair("draft-8"), ok);
      const { headers } = await ask(app);
      expect(headers["ratelimit-policy"]).toBe('"hour";q=100;w=3600, "minute";q=2;w=60');
      expect(headers.ratelimit).toBe('"hour";r=99;t=3600, "minute";r=1;t=60');
    });
  });

  describe("B57", () => {
    it("lets a hook answer, and answers nothing else", async () => {
      const app = express();
      const onRefused = (_: unknown, req: unknown): void => {
        (req as Request).res!.status(429).json({ mine: true });
      };
      const reached: string[] = [];
      app.use(perMinute(1, { onRefused }), (_req, res) => {
        reached.push("handler");
        res.send("ok");
      });
      expect((await ask(app)).text).toBe("ok");
      const { status, text } = await ask(app);
      expect([status, text]).toEqual([429, '{"mine":true}']);
      expect(reached).toHaveLength(1);
    });

    it("outlives a hook that answers too late", async () => {
      const errors: unknown[] = [];
      let answered = (): void => {};
      const done = new Promise<void>((resolve) => (answered = resolve));
      const onRefused = async (_: unknown, req: unknown): Promise<void> => {
        const res = (req as Request).res!;
        if (!res.writableFinished) await new Promise((resolve) => res.once("close", resolve));
        setImmediate(answered);
        res.status(429).json({ mine: true });
      };
      const app = express();
      app.use(perMinute(0, { onRefused, onError: (error) => errors.push(error) }), ok);
      expect((await ask(app)).json()).toMatchObject({ error: "Too Many Requests" });
      await done;
      expect(errors).toEqual([expect.objectContaining({ code: "ERR_HTTP_HEADERS_SENT" })]);
    });

    it("decides, counts and writes nothing where the head was sent before", async () => {
      const limit = perMinute(2);
      const app = express();
      app.get("/", (_req, res) => {
        res.write("begun");
        throw new Error("broken");
      });
      const limited = (_error: unknown, req: Request, res: Response, _next: NextFunction): void =>
        limit(req, res, () => res.end(` and ${req.rateLimit?.remaining} left`));
      app.use(limited);
      const texts = [await ask(app), await ask(app), await ask(app)].map(({ text }) => text);
      expect(texts).toEqual(["begun and 1 left", "begun and 0 left", "begun"]);
    });
  });

  describe("B61", () => {
    const origin = "https://shop.example";

    it("keeps what the cors middleware set, on a refusal too", async () => {
      const app = express().use(cors({ origin, credentials: true }), perMinute(1), ok);
      for (const status of [200, 429]) {
        const answer = await supertest(app).get("/").set("Origin", origin);
        expect(answer.status).toBe(status);
        expect(answer.headers).toMatchObject({
          "access-control-allow-origin": origin,
          "access-control-allow-credentials": "true",
          vary: "Origin",
        });
      }
    });

    it("appends the rate headers to those that cors exposes, once", async () => {
      const app = express();
      app.use(cors({ origin, exposedHeaders: ["X-Total", "retry-after"] }));
      app.use(perMinute(1, { exposeHeaders: true, headers: "draft-8" }), ok);
      for (const status of [200, 429]) {
        const answer = await supertest(app).get("/").set("Origin", origin);
        expect(answer.status).toBe(status);
        expect(answer.headers["access-control-expose-headers"]).toBe(
          "X-Total, retry-after, RateLimit-Policy, RateLimit",
        );
      }
    });

    it("exposes exactly the rate headers in use where nobody exposed any", async () => {
      const app = express().use(perMinute(1, { exposeHeaders: true }), ok);
      const { headers } = await supertest(app).get("/");
      expect(headers["access-control-expose-headers"]).toBe(
        "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After",
      );
    });
  });

  it("B62: lets no cache keep a refusal, and leaves allowed answers theirs", async () => {
    const app = express();
    app.use((_req, res, next) => {
      res.set({ "Cache-Control": "public, max-age=300", ETag: '"1"', "Last-Modified": "x" });
      next();
    });
    app.use(perMinute(1), ok);
    const [allowed, refused] = [await ask(app), await ask(app)];
    expect(allowed.headers).toMatchObject({ "cache-control": "public, max-age=300", etag: '"1"' });
    expect(refused.status).toBe(429);
    expect(refused.lines("cache-control")).toEqual(["no-store"]);
    expect([...refused.lines("etag"), ...refused.lines("last-modified")]).toEqual([]);
  });

  it("B63: says its own number once where an upstream says another", async () => {
    const app = express().use(perMinute(2));
    app.get("/set", (_req, res) => {
      res.set({ "X-RateLimit-Remaining": "5", "Retry-After": "9" }).send("ok");
    });
    app.get("/head", (_req, res) => {
      res.writeHead(200, ["x-ratelimit-remaining", "5", "Retry-After", "9"]).end("ok");
    });
    for (const [path, remaining] of [
      ["/set", "1"],
      ["/head", "0"],
    ] as const) {
      const answer = await ask(app, path);
      expect(answer.status).toBe(200);
      expect(answer.lines("x-ratelimit-remaining")).toEqual([remaining]);
      expect(answer.lines("retry-after")).toEqual(["9"]);
    }
  });

  it("B63: says it under a prefix of its own, and leaves what an upstream says", async () => {
    const headers = { prefix: "X-Acme-", limit: "Limit", remaining: "Remaining", reset: "Reset" };
    const app = express().use(perMinute(1, { headers }), (_req, res) => {
      res.set({ "X-RateLimit-Remaining": "5", "Retry-After": "9" }).send("ok");
    });
    const reset = String((clock() + 60_000) / 1000);
    for (const [remaining, wait] of [
      ["5", "9"],
      [undefined, "60"],
    ] as const) {
      const answer = await ask(app);
      expect(answer.headers["x-acme-limit"]).toBe("1");
      expect(answer.headers["x-acme-remaining"]).toBe("0");
      expect(answer.headers["x-acme-reset"]).toBe(reset);
      expect(answer.headers["x-ratelimit-remaining"]).toBe(remaining);
      expect(answer.lines("retry-after")).toEqual([wait]);
    }
  });

  it("B87: tells of a limiter that is made in the handler, and limits on a store that outlives it", async () => {
    const { rateLimit, memoryStore } = await import("../../src/index.ts");
    const shared = memoryStore({ clock });
    const inside = (options: object) =>
      express()
        .get("/", (req, res, next) =>
          rateLimit({ ...minute, limit: 1, ...options })(req, res, next),
        )
        .get("/", ok);
    const asks = Array<string>(3).fill("/");
    expect(await statuses(inside({ store: shared }), asks)).toEqual([200, 429, 429]);
    const codes: string[] = [];
    const onWarning = ({ code }: { code: string }): number => codes.push(code);
    // Settings of its own, since the warning is given once per process.
    const own = inside({
      onWarning,
      name: `per request in ${express === majors[0]!.express ? 5 : 4}`,
    });
    expect(new Set(await statuses(own, Array<string>(12).fill("/")))).toEqual(new Set([200]));
    told.push(...codes);
    expect(told).toEqual(["SPILLWAY_LIMITER_PER_REQUEST"]);
  });
});

/** The warnings of this process about limiters created per request. */
const told: string[] = [];
