import { rateLimit } from "@spillway/express";
import express from "express";

/** Requests a minute that a client has, of all servers together. */
export const limit = 10;

/**
 * Makes an application that shares what its clients have used with all that use the same Redis.
 *
 * @param {{ store: import("@spillway/core").Store }} options
 */
export function createApp({ store }) {
  const app = express();
  // servers share what they count under one name
  const onError = (/** @type {unknown} */ error) => console.error(error);
  app.use(rateLimit({ name: "api", limit, window: "1m", store, onError }));
  app.get("/", (_req, res) => {
    res.json({ message: "Here you are.", process: process.pid });
  });
  return app;
}
