import { rateLimit } from "@spillway/koa";
import { describe, expect, it } from "vitest";

type Middleware = (...args: unknown[]) => unknown;

const made = rateLimit({ limit: 1, window: "1m" });
const limit = made as unknown as Middleware;
const middlewares = [limit, made.usage() as unknown as Middleware];

/** What other frameworks pass, as far as it identifies them. */
const instance = { addHook() {}, register() {} };
const hooked = { raw: {}, headers: {}, method: "GET", url: "/" };
const request = { socket: {}, headers: {}, method: "GET", url: "/" };

describe("the middleware, mounted elsewhere,", () => {
  it.each<[where: string, args: readonly unknown[], received: string]>([
    ["in Express", [request, {}], "a request of Express or of Node (there is @spillway/express)"],
    [
      "as a hook of Fastify",
      [hooked, {}],
      "a request of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }), or limit({ … }) for a hook)",
    ],
    [
      "registered in Fastify",
      [instance, {}],
      "an instance of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }))",
    ],
    ["called by hand", [{}, () => {}], "an object"],
    ["called with nothing", [undefined, () => {}], "undefined"],
  ])("%s, tells whoever called what is wrong", async (_, args, received) => {
    const told = `middleware of @spillway/koa: expected a context of Koa, received ${received}`;
    for (const middleware of middlewares) {
      const errors: unknown[] = [];
      const answer = middleware(...args, (error: Error) => errors.push(error.message));
      expect(answer).toBeUndefined();
      expect(errors).toEqual([told]);
      await expect(middleware(...args)).rejects.toThrow(told);
    }
  });

  it("looks as any middleware of Koa does", () => {
    expect(limit.length).toBe(2);
  });
});
