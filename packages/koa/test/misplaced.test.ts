import { rateLimit } from "@spillway/koa";
import { describe, expect, it } from "vitest";

const limit = rateLimit({ limit: 1, window: "1m" }) as unknown as (...args: unknown[]) => unknown;

/** What other frameworks hand over, as far as it tells them apart. */
const instance = { addHook() {}, register() {} };
const hooked = { raw: {}, headers: {}, method: "GET", url: "/" };
const request = { socket: {}, headers: {}, method: "GET", url: "/" };

describe("the middleware, mounted elsewhere,", () => {
  it.each<[where: string, args: readonly unknown[], received: string]>([
    ["in Express", [request, {}], "a request of Express or of Node (there is @spillway/express)"],
    ["as a hook of Fastify", [hooked, {}], "a request of Fastify (there is @spillway/fastify)"],
    [
      "registered in Fastify",
      [instance, {}],
      "an instance of Fastify (there is @spillway/fastify)",
    ],
    ["called by hand", [{}, () => {}], "an object"],
    ["called with nothing", [undefined, () => {}], "undefined"],
  ])("%s, tells whoever called what is wrong", async (_, args, received) => {
    const told = `middleware of @spillway/koa: expected a context of Koa, received ${received}`;
    const errors: unknown[] = [];
    const answer = limit(...args, (error: Error) => errors.push(error.message));
    expect(answer).toBeUndefined();
    expect(errors).toEqual([told]);
    await expect(limit(...args)).rejects.toThrow(told);
  });

  it("looks as any middleware of Koa does", () => {
    expect(limit.length).toBe(2);
  });
});
