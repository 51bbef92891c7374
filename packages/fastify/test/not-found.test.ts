import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import rateLimit, { limit } from "../src/index.ts";
import { remaining, statuses } from "./ask.ts";
import { windowOf } from "./window.ts";

const hooks = ["onRequest", "preValidation", "preHandler"] as const;
const places = hooks.flatMap((hook) => [false, true].map((last) => [hook, last] as const));

describe.each(places)(
  "with the plugin on %s, after routes' hooks: %s, not-found requests",
  (hook, afterRouteHooks) => {
    async function made(): Promise<FastifyInstance> {
      const app = Fastify();
      await app.register(rateLimit, { ...windowOf(2), hook, afterRouteHooks });
      return app;
    }

    it("are limited below children that have a handler of their own", async () => {
      const app = await made();
      app.register(
        (child, _, done) => {
          child.setNotFoundHandler((_, reply) => void reply.code(404).send("not in here"));
          child.get("/there", async () => "ok");
          done();
        },
        { prefix: "/child" },
      );
      const { body } = await app.inject("/child/nope");
      expect(body).toBe("not in here");
      expect(await statuses(app, "/nope", "/child/nope", "/child/there")).toEqual([404, 429, 429]);
    });

    it("cost one when a route hands over by callNotFound, from the bucket of the route", async () => {
      const app = await made();
      app.get("/plain", (_, reply) => reply.callNotFound());
      app.get("/own", { config: { rateLimit: { limit: 3 } } }, (_, reply) => reply.callNotFound());
      app.get("/exempt", { config: { rateLimit: false } }, (_, reply) => reply.callNotFound());
      expect(await remaining(app, "/own", "/own", "/plain")).toEqual([2, 1, 1]);
      const { statusCode, headers } = await app.inject("/exempt");
      expect([statusCode, headers["x-ratelimit-limit"]]).toEqual([404, undefined]);
      expect(await statuses(app, "/plain", "/plain", "/own", "/own")).toEqual([404, 429, 404, 429]);
    });
  },
);

it("limits only what is not found, by the hook of a not-found handler", async () => {
  const app = Fastify();
  app.setNotFoundHandler({ preHandler: limit(windowOf(1)) }, (_, reply) => {
    reply.code(404).send("nope");
  });
  app.get("/", async () => "ok");
  app.get("/hidden", (_, reply) => reply.callNotFound());
  expect(await statuses(app, "/nope", "/", "/", "/hidden")).toEqual([404, 200, 200, 429]);
});
