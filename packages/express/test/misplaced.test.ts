import { rateLimit } from "@spillway/express";
import { describe, expect, it } from "vitest";

type Handler = (...args: unknown[]) => void;

const made = rateLimit({ limit: 1, window: "1m" });
const limit = made as unknown as Handler;
const handlers = [limit, made.usage() as unknown as Handler];

/** What other frameworks pass, as far as it identifies them. */
const instance = { addHook() {}, register() {} };
const request = { raw: {}, headers: {}, method: "GET", url: "/" };
const reply = { raw: {}, header() {} };
const context = { state: {}, req: {}, res: { setHeader() {} }, headers: {} };

describe("the middleware, mounted elsewhere,", () => {
  it.each<[where: string, args: readonly unknown[], received: string]>([
    [
      "registered in Fastify",
      [instance, {}],
      "an instance of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }))",
    ],
    [
      "as a hook of Fastify",
      [request, reply],
      "a request of Fastify (there is @spillway/fastify: app.register(rateLimit, { … }), or limit({ … }) for a hook)",
    ],
    ["called by hand", [{}, {}], "an object"],
    ["called with nothing", [undefined, undefined], "undefined"],
  ])("%s, hands on what is wrong", (_, args, received) => {
    for (const handler of [...handlers, ...handlers]) {
      const errors: unknown[] = [];
      handler(...args, (error: unknown) => errors.push(error));
      expect(errors).toEqual([expect.objectContaining({ code: "ERR_INVALID_CONFIG" })]);
      expect((errors[0] as Error).message).toBe(
        `middleware of @spillway/express: expected a request and its response, as Express hands them over, received ${received}`,
      );
    }
  });

  it("throws it to Koa, which hands over no callback", () => {
    const told = "received a context of Koa (there is @spillway/koa)";
    for (const handler of [...handlers, ...handlers]) {
      expect(() => handler(context, async () => {})).toThrow(told);
    }
  });

  it("throws it to whoever calls it with nothing at all", () => {
    for (const handler of handlers) expect(() => handler()).toThrow("received undefined");
  });
});
