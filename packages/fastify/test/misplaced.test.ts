import { rateLimit } from "@spillway/fastify";
import { expect, it } from "vitest";

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
