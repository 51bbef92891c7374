import type { Extractor } from "@spillway/core/http";
import Fastify, { type FastifyContextConfig, type HTTPMethods } from "fastify";
import { describe, expect, it } from "vitest";
import { ip, join, rateLimit, route } from "../src/index.ts";
import { statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

describe("a route of several methods", () => {
  const ways: readonly [string, number, { readonly key?: Extractor }, FastifyContextConfig][] = [
    ["by route()", 1, { key: join(route(), ip()) }, {}],
    ["by an override", 100, {}, { rateLimit: { limit: 1 } }],
  ];
  const handler = async (): Promise<string> => "ok";
  const asks = (methods: readonly HTTPMethods[]) =>
    methods.map((method) => ({ method, url: "/x" }) as const);

  it.each(ways)("has one bucket %s", async (_, limit, options, config) => {
    const app = Fastify();
    await app.register(rateLimit, { ...windowOf(limit), ...options });
    app.all("/x", { config }, handler);
    const all = asks(["GET", "HEAD", "POST", "PUT", "OPTIONS"]);
    expect(await statuses(app, ...all)).toEqual([200, 429, 429, 429, 429]);
  });

  it.each(ways)(
    "counts HEAD with it %s, also where Fastify adds that",
    async (_, limit, options, config) => {
      const app = Fastify();
      await app.register(rateLimit, { ...windowOf(limit), ...options });
      app.route({ method: ["GET", "POST"], url: "/x", config, handler });
      expect(await statuses(app, ...asks(["GET", "HEAD", "POST", "HEAD"]))).toEqual([
        200, 429, 429, 429,
      ]);
    },
  );
});
