import cors from "@koa/cors";
import { manualClock } from "@spillway/core/testing";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../../src/index.ts";
import { ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { windowOf } from "../window.ts";

const ok = (ctx: { body: unknown }): void => {
  ctx.body = "ok";
};

describe.each(majors)("$name", ({ Koa }) => {
  it("B52: remaining counts down to 0 and stays there", async () => {
    const app = new Koa();
    app.use(rateLimit(windowOf(2))).use(ok);
    const seen: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await ask(app);
      seen.push([status, headers["x-ratelimit-remaining"]]);
    }
    expect(seen).toEqual([
      [200, "1"],
      [200, "0"],
      [429, "0"],
      [429, "0"],
      [429, "0"],
    ]);
  });

  it.each([
    ["delta", ["60", "50", "40"]],
    ["epoch", ["1700006460", "1700006460", "1700006460"]],
  ] as const)("B53: the reset of a window stands still, as %s", async (reset, expected) => {
    const clock = manualClock();
    const app = new Koa();
    app.use(rateLimit({ ...windowOf(5, clock), reset })).use(ok);
    const seen: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      seen.push((await ask(app)).headers["x-ratelimit-reset"]);
      clock.advance(10_000);
    }
    expect(seen).toEqual(expected);
  });

  it("B54: each header tells the reset in its own form", async () => {
    const clock = manualClock();
    const app = new Koa();
    app.use(rateLimit({ ...windowOf(1, clock), headers: ["legacy", "draft-8"] })).use(ok);
    await ask(app);
    clock.advance(10_000);
    const { status, headers } = await ask(app);
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      "x-ratelimit-reset": "1700006460",
      ratelimit: '"default";r=0;t=50',
      "retry-after": "50",
    });
  });

  it.each([
    ["outer first", ["outer", "inner"]],
    ["inner first", ["inner", "outer"]],
  ] as const)("B55: two limiters tell of the tighter, %s", async (_, order) => {
    const clock = manualClock();
    const limits = {
      outer: rateLimit({ ...windowOf(100, clock), name: "outer", window: "1h" }),
      inner: rateLimit({ ...windowOf(2, clock), name: "inner" }),
    };
    const app = new Koa();
    for (const name of order) app.use(limits[name]);
    app.use(ok);
    const seen: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const { headers } = await ask(app);
      const names = ["limit", "remaining", "reset"];
      seen.push(names.map((name) => headers[`x-ratelimit-${name}`]));
    }
    expect(seen).toEqual([
      ["2", "1", "1700006460"],
      ["2", "0", "1700006460"],
      ["2", "0", "1700006460"],
    ]);
  });

  it("B61: headers of CORS stand on a refusal, thrown or not, and ours are exposed once", async () => {
    for (const mode of [false, true]) {
      const app = new Koa();
      app.silent = true;
      app.use(cors({ origin: "https://app.example", exposeHeaders: ["x-request-id"] }));
      app.use(rateLimit({ ...windowOf(1), exposeHeaders: true, throw: mode })).use(ok);
      const request = { headers: { origin: "https://app.example" } };
      expect(await statuses(app, request)).toEqual([200]);
      const { status, headers } = await ask(app, request);
      expect(status).toBe(429);
      expect(headers["access-control-allow-origin"]).toBe("https://app.example");
      expect(headers.vary).toMatch(/^Origin$/i);
      const exposed = String(headers["access-control-expose-headers"]).split(/, ?/);
      const ours = [
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "Retry-After",
      ];
      expect(exposed).toEqual(["x-request-id", ...ours]);
    }
  });

  it("B62: a refusal cannot be cached, an admitted answer keeps what it says of caching", async () => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      ctx.set("Cache-Control", "public, max-age=300");
      ctx.etag = "v1";
      ctx.lastModified = new Date(0);
      await next();
    });
    app.use(rateLimit(windowOf(1))).use(ok);
    expect((await ask(app)).headers).toMatchObject({
      "cache-control": "public, max-age=300",
      etag: '"v1"',
    });
    const { status, headers } = await ask(app);
    expect([status, headers["cache-control"]]).toEqual([429, "no-store"]);
    expect(headers).not.toHaveProperty("etag");
    expect(headers).not.toHaveProperty("last-modified");
  });
});
