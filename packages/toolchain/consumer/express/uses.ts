import { apiKey, ip, memoryStore, rateLimit } from "@spillway/express";
import express from "express";

export const app = express();
const limit = rateLimit({ limit: 100, window: "1m", store: memoryStore() });
app.use(limit);
app.post(
  "/login",
  rateLimit({ limit: 5, window: "15m", key: [apiKey(), ip()] }),
  (request, response) => {
    const remaining: number | undefined = request.rateLimit?.remaining;
    response.json({ remaining });
  },
);

export const peeked: unknown = limit.limiter.peek("user:42");

// @ts-expect-error an unknown option is an error
rateLimit({ limit: 100, window: "1m", maximum: 3 });
