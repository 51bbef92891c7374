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

/** Of no limiter: what every one of them must at least do, with values that are known. */
export const floor = "three fields by hand";

const fields = { Limit: "1000000000", Remaining: "999999999", Reset: "1800000000" };
const names = Object.keys(fields).map((name) => [`X-RateLimit-${name}`, fields[name]]);

/** Each middleware as its own documentation sets it up, in memory, keyed by address, with legacy headers. */
const limiters = {
  express: {
    none: () => undefined,
    [floor]: () => (_req, res, next) => {
      for (const [name, value] of names) res.setHeader(name, value);
      next();
    },
    "@spillway/express": (limit) => spillwayExpress({ limit, ...fixed }),
    "@spillway/express, sliding window": (limit) => spillwayExpress({ limit, window }),
    "express-rate-limit": (limit) => expressRateLimit({ limit, windowMs: window }),
    "rate-limiter-flexible": (limit) => flexible(limit),
  },
  fastify: {
    none: async () => {},
    async [floor](_limit, app) {
      app.addHook("onRequest", (_request, reply, done) => {
        for (const [name, value] of names) reply.header(name, value);
        done();
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
    [floor]: () => (ctx, next) => {
      for (const [name, value] of names) ctx.set(name, value);
      return next();
    },
    "@spillway/koa": (limit) => spillwayKoa({ limit, ...fixed }),
    "@spillway/koa, sliding window": (limit) => spillwayKoa({ limit, window }),
    "koa-ratelimit": (max) =>
      koaRateLimit({ driver: "memory", db: new Map(), duration: window, max }),
  },
};

/** The contenders of a framework by name, a server without a limiter first. */
export const contendersOf = (framework) => Object.keys(limiters[framework]);

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
        res.status(429).send("Too Many Requests");
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

/** Makes a server that does not listen yet; all requests but the first are refused, or none ever is. */
export function serverOf(framework, contender, outcome) {
  const limit = outcome === "refused" ? 1 : 1_000_000_000;
  return servers[framework]((app) => limiters[framework][contender](limit, app));
}
