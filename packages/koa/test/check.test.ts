import { describe, expect, it } from "vitest";
import { rateLimit } from "../src/index.ts";
import { ask, statuses } from "./ask.ts";
import { majors } from "./majors.ts";
import { windowOf } from "./window.ts";

describe.each(majors)("a request checked in middleware of $name", ({ Koa }) => {
  it("is refused by that, with the headers of a refusal", async () => {
    const app = new Koa();
    const limit = rateLimit(windowOf(1));
    app.use(async (ctx) => {
      const { allowed, retryAfter } = await limit.check(ctx);
      if (!allowed) ctx.status = 429;
      ctx.body = { allowed, retryAfter };
    });
    const first = await ask(app);
    expect([first.status, first.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
    const second = await ask(app);
    expect([second.status, second.body]).toEqual([429, { allowed: false, retryAfter: 60_000 }]);
    expect(second.headers).toMatchObject({ "retry-after": "60", "cache-control": "no-store" });
  });

  it("is the one that the middleware charged, and has its decision", async () => {
    const app = new Koa();
    const limit = rateLimit(windowOf(2));
    app.use(limit).use(async (ctx) => {
      const before: unknown = ctx.state.rateLimit;
      const decision = await limit.check(ctx);
      ctx.body = [decision === before, decision === ctx.state.rateLimit, decision.remaining];
    });
    expect((await ask(app)).body).toEqual([true, true, 1]);
    expect(await statuses(app, "/", "/")).toEqual([200, 429]);
  });

  it("exposes its decision", async () => {
    const app = new Koa();
    const limit = rateLimit(windowOf(1));
    app.use(async (ctx) => {
      await limit.check(ctx);
      ctx.body = ctx.state.rateLimit;
    });
    expect((await ask(app)).body).toMatchObject({ allowed: true, remaining: 0 });
  });

  it.each(["user:42", null, undefined, {}])("is a context: %j is not", async (given) => {
    await expect(rateLimit(windowOf(1)).check(given as never)).rejects.toThrow(
      "limit.check(ctx): expected a context of Koa (a key: limit.limiter.check(key)), received",
    );
  });
});
