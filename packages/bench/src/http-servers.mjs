/** Servers of every framework, each with one limiter or none. */
import { createServer } from "node:http";
import fastifyRateLimit from "@fastify/rate-limit";
import { rateLimit as spillwayExpress } from "@spillway/express";
import { rateLimit as spillwayFastify } from "@spillway/fastify";
import { rateLimit as spillwayKoa } from "@spillway/koa";
import express from "express";
import { rateLimit as expressRateLimit } from "express-rate-limit";
import fastify from "fastify";
import Koa from "koa";
import koaRateLimit from "koa-ratelimit";
import { RateLimiterMemory } from "rate-limiter-flexible";

const window = 3_600_000;
const fixed = { window, algorithm: "fixed-window" };

/** No limiter, but the least that each of them must do: three fields of known values, and a refusal. */
export const floor = "by hand";

const pairs = Object.entries({
  "X-RateLimit-Limit": "1000000000",
  "X-RateLimit-Remaining": "999999999",
  "X-RateLimit-Reset": "1800000000",
});
const refused = "Too Many Requests";

/** Each middleware as its own documentation sets it up: in memory, keyed by address, with legacy headers. */
const limiters = {
  express: {
    none: () => undefined,
    [floor]: (limit) => (_req, res, next) => {
      for (const [name, value] of pairs) res.setHeader(name, value);
      if (limit > 1) next();
      else res.status(429).set("Retry-After", "60").send(refused);
    },
    "@spillway/express": (limit) => spillwayExpress({ limit, ...fixed }),
    "@spillway/express, sliding window": (limit) => spillwayExpress({ limit, window }),
    "express-rate-limit": (limit) => expressRateLimit({ limit, windowMs: window }),
    "rate-limiter-flexible": (limit) => flexible(limit),
  },
  fastify: {
    none: async () => {},
    async [floor](limit, app) {
      app.addHook("onRequest", (_request, reply, done) => {
        for (const [name, value] of pairs) reply.header(name, value);
        if (limit > 1) done();
        else reply.code(429).header("retry-after", "60").send(refused);
      });
    },
    "@spillway/fastify": (limit, app) => app.register(spillwayFastify, { limit, ...fixed }),
    "@spillway/fastify, sliding window": (limit, app) =>
      app.register(spillwayFastify, { limit, window }),
    "@fastify/rate-limit": (limit, app) =>
      app.register(fastifyRateLimit, { max: limit, timeWindow: window }),
  },
  koa: {
    none: () => undefined,
    [floor]: (limit) => async (ctx, next) => {
      for (const [name, value] of pairs) ctx.set(name, value);
      if (limit > 1) return next();
      ctx.set("Retry-After", "60");
      ctx.status = 429;
      ctx.body = refused;
    },
    "@spillway/koa": (limit) => spillwayKoa({ limit, ...fixed }),
    "@spillway/koa, sliding window": (limit) => spillwayKoa({ limit, window }),
    "koa-ratelimit": (max) =>
      koaRateLimit({ driver: "memory", db: new Map(), duration: window, max }),
  },
};

/**
 * Returns the contenders of a framework by name: a server without a limiter, the work done by hand, and the limiters.
 */
export const contendersOf = (framework) => Object.keys(limiters[framework]);

/** Returns the status of nearly all responses of a contender. */
export const statusOf = (contender, outcome) =>
  outcome === "refused" && contender !== "none" ? 429 : 200;

export const frameworks = Object.keys(limiters);

/** rate-limiter-flexible ships no middleware; this is the one of its documentation, with the headers of the others. */
function flexible(points) {
  const limiter = new RateLimiterMemory({ points, duration: window / 1000 });
  return (req, res, next) => {
    const head = (state) => {
      res.setHeader("X-RateLimit-Limit", points);
      res.setHeader("X-RateLimit-Remaining", state.remainingPoints);
      res.setHeader("X-RateLimit-Reset", Math.ceil((Date.now() + state.msBeforeNext) / 1000));
    };
    limiter.consume(req.ip).then(
      (state) => {
        head(state);
        next();
      },
      (state) => {
        head(state);
        res.setHeader("Retry-After", Math.ceil(state.msBeforeNext / 1000));
        res.status(429).send(refused);
      },
    );
  };
}

const servers = {
  async express(make) {
    const app = express();
    const limiter = make();
    if (limiter) app.use(limiter);
    app.get("/", (_req, res) => res.send("hello"));
    return createServer(app);
  },
  async fastify(make) {
    const app = fastify();
    await make(app);
    app.get("/", (_request, reply) => reply.send("hello"));
    await app.ready();
    return app.server;
  },
  async koa(make) {
    const app = new Koa();
    app.silent = true;
    const limiter = make();
    if (limiter) app.use(limiter);
    app.use((ctx) => {
      ctx.body = "hello";
    });
    return createServer(app.callback());
  },
};

/**
 * Creates a server that does not listen yet. With a limiter, all requests but the first are refused, or none ever is.
 */
export function serverOf(framework, contender, outcome) {
  const limit = outcome === "refused" ? 1 : 1_000_000_000;
  return servers[framework]((app) => limiters[framework][contender](limit, app));
}
