import { fallbackStore } from "@spillway/core";
import { memoryStore, rateLimit } from "@spillway/express";
import { redisStore } from "@spillway/redis";
import express from "express";

/**
 * Makes one of two servers that share a limit of twenty a minute through Redis, and each grant a half of it from
 * memory while Redis does not answer.
 *
 * @param {import("ioredis").Redis} client
 * @param {{ onEnter: (error: unknown) => void; onLeave: () => void }} hooks
 */
export function createApp(client, hooks) {
  const store = fallbackStore(redisStore(client, { deadline: 500 }), {
    fallback: memoryStore(),
    share: 1 / 2,
    failures: 3,
    retry: 500,
    ...hooks,
  });

  const app = express();
  app.use(
    rateLimit({
      name: "api",
      limit: 20,
      window: "1m",
      store,
      body: ({ degraded }) => ({ error: "Too Many Requests", degraded }),
    }),
  );
  app.get("/", (req, res) => {
    res.json({ message: "Here you are.", degraded: req.rateLimit?.degraded });
  });
  return app;
}
