import { rateLimit } from "@spillway/express";
import express from "express";

/**
 * Makes an application that answers each client twenty times a minute.
 *
 * @param {{ store?: import("@spillway/core").Store }} [options] a store of the caller's; by default the
 *   limiter makes one in memory
 */
export function createApp({ store } = {}) {
  const app = express();
  app.disable("x-powered-by");
  app.use(rateLimit({ limit: 20, window: "1m", store }));
  app.get("/", (_req, res) => {
    res.json({ message: "Here you are." });
  });
  return app;
}
