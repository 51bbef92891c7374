import { limit, rateLimit } from "@spillway/fastify";
import Fastify from "fastify";
import { expect, it, vi } from "vitest";

const plugin = rateLimit as unknown as (...args: unknown[]) => unknown;

it.each([
  ["as a factory", [{ limit: 1, window: "1m" }], "an object"],
  ["with nothing", [], "undefined"],
  [
    "as a middleware of Express",
    [{ url: "/", socket: {} }, { setHeader() {} }, () => {}],
    "a request of Express or of Node (there is @spillway/express)",
  ],
])("the plugin, called %s, throws what it is for, at once", (_, args, received) => {
  expect(() => plugin(...args)).toThrow(
    `plugin of @spillway/fastify: expected an instance of Fastify, as app.register(rateLimit, { … }) hands it over, received ${received}`,
  );
});

it.each(["onSend", "preSerialization", "preParsing"])(
  "a hook of limit() that is added as %s answers with what it is for",
  async (name) => {
    const app = Fastify();
    const charged = vi.fn();
    const hook = limit({ limit: 1, window: "1m", onDecision: charged });
    app.addHook(name as never, hook as never);
    app.get("/", () => ({ found: true }));
    for (let i = 0; i < 3; i++) {
      const { statusCode, body } = await app.inject("/");
      expect([statusCode, body]).toEqual([
        500,
        expect.stringContaining("limit(options): expected"),
      ]);
    }
    expect(charged).not.toHaveBeenCalled();
  },
);

it("a hook of limit() that is added as onResponse holds nobody up, and charges nothing", async () => {
  const app = Fastify();
  const charged = vi.fn();
  const after = vi.fn();
  app.addHook("onResponse", limit({ limit: 1, window: "1m", onDecision: charged }) as never);
  app.addHook("onResponse", async () => after());
  app.get("/", () => "found");
  for (let i = 0; i < 3; i++) expect((await app.inject("/")).statusCode).toBe(200);
  await app.close();
  expect(charged).not.toHaveBeenCalled();
});
