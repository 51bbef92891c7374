import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RateLimitError, rateLimit } from "../../src/index.ts";
import { ask, statuses } from "../ask.ts";
import { majors } from "../majors.ts";
import { windowOf } from "../window.ts";

describe.each(majors)("$name", ({ Koa }) => {
  it("B59: what is thrown on request carries 429 to whoever answers errors", async () => {
    const app = new Koa();
    const errors: RateLimitError[] = [];
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        errors.push(error as RateLimitError);
        ctx.status = (error as RateLimitError).status;
        ctx.body = { code: (error as RateLimitError).code };
      }
    });
    app.use(rateLimit({ ...windowOf(1), throw: true }));
    await ask(app);
    const { status, headers, body } = await ask(app);
    expect([status, body]).toEqual([429, { code: "ERR_RATE_LIMITED" }]);
    expect(headers).toMatchObject({ "retry-after": "60", "cache-control": "no-store" });
    expect(errors).toEqual([expect.any(RateLimitError)]);
    expect(errors[0]).toMatchObject({
      status: 429,
      statusCode: 429,
      expose: true,
      retryAfter: 60_000,
      decision: { allowed: false, reason: "limited" },
    });
  });

  it("B59: Koa's own answer to it is 429 with our headers and message", async () => {
    const app = new Koa();
    app.silent = true;
    app.use(rateLimit({ ...windowOf(1), throw: true }));
    await ask(app);
    const { status, headers, text } = await ask(app);
    expect([status, text]).toEqual([429, "Rate limit exceeded. Retry in 60 seconds."]);
    expect(headers).toMatchObject({
      "x-ratelimit-limit": "1",
      "x-ratelimit-remaining": "0",
      "retry-after": "60",
      "cache-control": "no-store",
    });
  });

  it("B60: errors of others stay theirs, and late answers whole", async () => {
    const app = new Koa();
    app.silent = true;
    let calls = 0;
    app.use(rateLimit(windowOf(10)));
    app.use(async (ctx) => {
      calls++;
      if (ctx.path === "/teapot") throw Object.assign(new Error("teapot"), { status: 418 });
      if (ctx.path === "/broken") throw new Error("broken");
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      ctx.body = "late";
    });
    expect(await statuses(app, "/teapot", "/broken")).toEqual([418, 500]);
    expect((await ask(app, "/late")).text).toBe("late");
    expect(calls).toBe(3);
  });

  it("B72: the status on the wire decides what is given back, after all error handling", async () => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch {
        ctx.status = 422;
        ctx.body = "invalid";
      }
    });
    app.use(rateLimit({ ...windowOf(1), refund: "failed" }));
    app.use((ctx) => {
      if (ctx.path === "/invalid") throw new Error("invalid");
      ctx.body = "ok";
    });
    expect(await statuses(app, "/invalid", "/invalid", "/valid", "/valid")).toEqual([
      422, 422, 200, 429,
    ]);
  });
});
