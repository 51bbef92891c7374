import Router from "@koa/router";
import { memoryStore } from "@spillway/core";
import { describe, expect, it } from "vitest";
import { preflight, rateLimit, route } from "../../src/index.ts";
import { ask, remaining, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { windowOf } from "../window.ts";

const ok = (ctx: { body: unknown }): void => {
  ctx.body = "ok";
};

describe.each(majors)("$name", ({ Koa }) => {
  it("B24 B25: every spelling that the router takes for a route shares the route's bucket", async () => {
    const app = new Koa();
    const router = new Router();
    router.post("/login", rateLimit(windowOf(2)), ok);
    app.use(router.routes());
    const post = (path: string) => ({ method: "post", path }) as const;
    const spellings = ["/login", "/LOGIN", "/login/", "/login?x=1"].map(post);
    expect(await statuses(app, ...spellings)).toEqual([200, 200, 429, 429]);
    // Spellings that this router does not match are no such route.
    expect(await statuses(app, post("//login"), post("/%6Cogin"))).toEqual([404, 404]);
  });

  it("B26: the query is no part of a route's key", async () => {
    const app = new Koa();
    const router = new Router();
    router.get("/reset", rateLimit({ ...windowOf(1), key: route() }), ok);
    app.use(router.routes());
    expect(await statuses(app, "/reset?a=1", "/reset?a=2")).toEqual([200, 429]);
  });

  it("B27: a segment that the client chooses is not part of the bucket, and makes no key", async () => {
    const store = memoryStore();
    const app = new Koa();
    const router = new Router();
    router.get("/verify/:code", rateLimit({ limit: 3, window: "1d", store }), ok);
    app.use(router.routes());
    const codes = ["1", "2", "3", "4"].map((code) => `/verify/${code}`);
    expect(await statuses(app, ...codes)).toEqual([200, 200, 200, 429]);
    expect(store.size).toBe(1);
  });

  it("B32: HEAD costs one, from the bucket of GET", async () => {
    const app = new Koa();
    const router = new Router();
    router.get("/", rateLimit(windowOf(3)), ok);
    app.use(router.routes());
    const head = { method: "head" } as const;
    expect(await remaining(app, "/", head, "/")).toEqual([2, 1, 0]);
    const { status, headers, text } = await ask(app, head);
    expect([status, text]).toEqual([429, undefined]);
    expect(headers).toMatchObject({ "x-ratelimit-remaining": "0", "retry-after": "60" });
  });

  it("B33: preflights cost nothing where they are skipped, and one where they are not", async () => {
    for (const [skip, left] of [
      [preflight, [2, 1, 0]],
      [undefined, [1]],
    ] as const) {
      const app = new Koa();
      app.use(rateLimit({ ...windowOf(3), skip })).use(ok);
      for (const rest of left) {
        expect(await statuses(app, { method: "options" })).toEqual([200]);
        expect(await remaining(app, "/")).toEqual([rest]);
      }
    }
  });

  it("B36: one limiter for the application and a route charges once", async () => {
    const app = new Koa();
    const router = new Router();
    const limit = rateLimit(windowOf(2));
    router.get("/", limit, ok);
    app.use(limit).use(router.routes());
    expect(await remaining(app, "/", "/")).toEqual([1, 0]);
    expect(await statuses(app, "/")).toEqual([429]);
  });
});
