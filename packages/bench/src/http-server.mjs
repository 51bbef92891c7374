/** One server with one limiter, or none: `node http-server.mjs express @spillway/express refused`. */
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
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

const [framework, contender, outcome] = process.argv.slice(2);
const limit = outcome === "refused" ? 1 : 1_000_000_000;
const window = 3_600_000;
const spillway = { limit, window, algorithm: "fixed-window" };

/** Each middleware as its own documentation sets it up, in memory, keyed by address, with legacy headers. */
const limiters = {
  express: {
    none: () => undefined,
    "@spillway/express": () => spillwayExpress(spillway),
    "@spillway/express, sliding window": () => spillwayExpress({ limit, window }),
    "express-rate-limit": () => expressRateLimit({ limit, windowMs: window }),
    "rate-limiter-flexible": () => flexible(),
  },
  fastify: {
    none: async () => {},
    "@spillway/fastify": (app) => app.register(spillwayFastify, spillway),
    "@spillway/fastify, sliding window": (app) => app.register(spillwayFastify, { limit, window }),
    "@fastify/rate-limit": (app) =>
      app.register(fastifyRateLimit, { max: limit, timeWindow: window }),
  },
  koa: {
    none: () => undefined,
    "@spillway/koa": () => spillwayKoa(spillway),
    "@spillway/koa, sliding window": () => spillwayKoa({ limit, window }),
    "koa-ratelimit": () =>
      koaRateLimit({ driver: "memory", db: new Map(), duration: window, max: limit }),
  },
};

/** rate-limiter-flexible ships no middleware; this is the one of its documentation, with the headers of the others. */
function flexible() {
  const limiter = new RateLimiterMemory({ points: limit, duration: window / 1000 });
  return (req, res, next) => {
    const head = (state) => {
      res.setHeader("X-RateLimit-Limit", limit);
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

const inspector = new Session();
inspector.connect();

/** Samples what is allocated: all of it, or what outlives the collection of young objects. */
const sample = (includeObjectsCollectedByMinorGC) =>
  inspector.post("HeapProfiler.startSampling", {
    samplingInterval: 4096,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC,
  });

const bytesOf = ({ selfSize, children }) =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize);

const answers = {
  cpu: () => process.cpuUsage(),
  made: () => sample(true),
  kept: () => sample(false),
  async sampled() {
    const { profile } = await inspector.post("HeapProfiler.stopSampling");
    return bytesOf(profile.head);
  },
};

const server = await servers[framework](limiters[framework][contender]);
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", async (what) => process.send((await answers[what]()) ?? "done"));
process.on("disconnect", () => process.exit());
