import Router from "@koa/router";
import type { Context } from "koa";
import { afterAll, describe, expect, it } from "vitest";
import { ip, join, rateLimit, route } from "../src/index.ts";
import { ask } from "./ask.ts";
import { majors } from "./majors.ts";
import { windowOf } from "./window.ts";

const stray: unknown[] = [];
const note = (reason: unknown): void => void stray.push(reason);
process.on("unhandledRejection", note);
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
});

describe.each(majors)("$name", ({ Koa }) => {
  const ok = (ctx: Context): void => {
    ctx.body = "ok";
  };

  it("tells whoever forgot to call it so, and nothing of the request", async () => {
    const app = new Koa();
    const told: unknown[] = [];
    app.on("error", (error: Error) => told.push(error.message));
    app.use(rateLimit as never).use(ok);
    expect((await ask(app, { headers: { authorization: "Bearer secret" } })).status).toBe(500);
    expect(told).toEqual([expect.stringMatching(/^options: expected .*called once.* a request$/)]);
  });

  it("has one bucket for a route of all methods", async () => {
    const app = new Koa();
    const router = new Router();
    router.all("/x", rateLimit({ ...windowOf(1), key: join(route(), ip()) }), ok);
    app.use(router.routes());
    const found: number[] = [];
    for (const method of ["get", "head", "post", "options", "delete"] as const) {
      found.push((await ask(app, { method, path: "/x" })).status);
    }
    expect(found).toEqual([200, 429, 429, 429, 429]);
  });

  it("knows the route also in what stands before all routes of a router", async () => {
    const app = new Koa();
    const router = new Router();
    const seen: unknown[] = [];
    const limit = rateLimit({
      ...windowOf(1),
      key: route(),
      onDecision: ({ key }) => void seen.push(key),
    });
    router.use(limit).get("/a", ok).get("/b/:c", ok).post("/a", ok);
    app.use(router.routes());
    const paths = ["/a", "/A", "/b/1", "/b/2"];
    const found = [];
    for (const path of paths) found.push((await ask(app, path)).status);
    found.push((await ask(app, { method: "post", path: "/a" })).status);
    expect(found).toEqual([200, 429, 200, 429, 200]);
    expect([...new Set(seen)]).toEqual(["route:GET /a", "route:GET /b/:c", "route:POST /a"]);
  });

  class Teapot extends Error {
    get status(): number {
      return 418;
    }
  }

  it.each<[string, Error, number]>([
    ["frozen", Object.freeze(new Error("mine")), 500],
    ["frozen with a status", Object.freeze(Object.assign(new Error("mine"), { status: 409 })), 409],
    ["of a status that nobody can set", new Teapot("mine"), 418],
  ])("answers an error of the options' functions that is %s", async (_, error, status) => {
    const app = new Koa();
    app.silent = true;
    const caught: unknown[] = [];
    app.on("error", (thrown) => caught.push(thrown));
    app.use(
      rateLimit({
        ...windowOf(1),
        key: () => {
          throw error;
        },
      }),
    );
    app.use(ok);
    expect((await ask(app)).status).toBe(status);
    expect(caught).toEqual([expect.objectContaining({ message: "mine", cause: error })]);
  });
});
