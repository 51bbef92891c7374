import Koa from "koa";
import { expect, it } from "vitest";
import { rateLimit } from "../../src/index.ts";
import { statuses } from "../ask.ts";
import { windowOf } from "../window.ts";

it("B87: limiters that are made per request are told of once, and share a store that is given", async () => {
  const { store, ...options } = windowOf(1);
  const warnings: string[] = [];
  const onWarning = ({ code }: { code: string }): void => void warnings.push(code);
  const app = new Koa();
  app.use((ctx, next) => {
    const shared = ctx.path === "/shared" ? { store } : {};
    return rateLimit({ ...options, ...shared, onWarning })(ctx, next);
  });
  app.use((ctx) => {
    ctx.body = "ok";
  });
  expect(await statuses(app, "/shared", "/shared", "/shared")).toEqual([200, 429, 429]);
  expect(warnings).toEqual([]);
  expect(await statuses(app, ...Array<string>(20).fill("/own"))).toEqual(Array(20).fill(200));
  expect(warnings).toEqual(["SPILLWAY_LIMITER_PER_REQUEST"]);
});
