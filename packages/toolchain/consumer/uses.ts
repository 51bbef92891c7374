import { createLimiter, type Decision, memoryStore } from "@spillway/core";
import * as http from "@spillway/core/http";
import { manualClock } from "@spillway/core/testing";
import { ip, rateLimit as limitExpress } from "@spillway/express";
import fastifyPlugin, { rateLimit as limitFastify } from "@spillway/fastify";
import { rateLimit as limitKoa } from "@spillway/koa";
import express from "express";
import fastify from "fastify";
import Koa from "koa";

const limiter = createLimiter({
  limit: 100,
  window: "1m",
  store: memoryStore({ clock: manualClock() }),
});
export const decided: Promise<Decision> = Promise.resolve(limiter.check("user:42", { cost: 3 }));
export const shared: object = http;

// @ts-expect-error an unknown option is an error
createLimiter({ limit: 100, window: "1m", maximum: 3 });
// @ts-expect-error a window has a unit
createLimiter({ limit: 100, window: "one minute" });

export const app = express();
app.use(limitExpress({ limit: 100, window: "1m" }));
app.post("/login", limitExpress({ limit: 5, window: "15m", key: ip() }), (request, response) => {
  const remaining: number | undefined = request.rateLimit?.remaining;
  response.json({ remaining });
});

export async function serve(): Promise<void> {
  const instance = fastify();
  await instance.register(limitFastify, { limit: 100, window: "1m" });
  await instance.register(fastifyPlugin, { limit: 100, window: "1m" });
  instance.get(
    "/search",
    { config: { rateLimit: { limit: 10, window: "1m" } } },
    async (request) => request.rateLimit?.remaining,
  );
  instance.get("/health", { config: { rateLimit: false } }, async () => "ok");
}

export const koa = new Koa();
koa.use(limitKoa({ limit: 100, window: "1m" }));
