import type { Request, Response } from "express";
import supertest from "supertest";
import { describe, expect, it } from "vitest";
import { headerDialects, memoryStore, type RateLimitOptions, rateLimit } from "../src/index.ts";
import { majors } from "./majors.ts";
import { clock } from "./minute.ts";

/** Returns the cost that the request states. */
const cost = (req: unknown): number => Number((req as Request).get("x-cost") ?? 1);

describe.each(majors)("$name", ({ express }) => {
  const appOf = (options: object) => {
    const given = { store: memoryStore({ clock }), onWarning: () => {}, ...options };
    return express()
      .use(rateLimit(given as unknown as RateLimitOptions))
      .get("/", (_req: Request, res: Response) => void res.send("ok"));
  };

  it("tells Discord's clients fractions, and rounds them up in Retry-After", async () => {
    const bucket = { name: "abcd1234", algorithm: "fixed-window", align: "first-request" };
    const app = appOf({ ...bucket, limit: 1, window: 64_570, headers: "discord" });
    const first = await supertest(app).get("/");
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      "x-ratelimit-limit": "1",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": ((clock() + 64_570) / 1000).toFixed(3),
      "x-ratelimit-reset-after": "64.57",
      "x-ratelimit-bucket": "abcd1234",
    });
    expect(first.headers).not.toHaveProperty("x-ratelimit-scope");
    const second = await supertest(app).get("/");
    expect(second.status).toBe(429);
    expect(second.headers).toMatchObject({
      "x-ratelimit-reset-after": "64.57",
      "x-ratelimit-scope": "user",
      "retry-after": "65",
    });
    expect(second.headers).not.toHaveProperty("x-ratelimit-global");
  });

  it("tells OpenAI's clients of requests and tokens, each by its name", async () => {
    const bucket = { algorithm: "token-bucket", window: "1m" };
    const app = appOf({
      policies: [
        { ...bucket, name: "requests", limit: 60 },
        { ...bucket, name: "tokens", limit: 150_000, cost: () => 15_000 },
      ],
      headers: "openai",
      exposeHeaders: true,
    });
    const { headers } = await supertest(app).get("/");
    expect(headers).toMatchObject({
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "135000",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-reset-tokens": "6s",
    });
    expect(headers["access-control-expose-headers"]).toContain("x-ratelimit-reset-tokens");
    expect(headers).not.toHaveProperty("x-ratelimit-limit");
  });

  it("counts as Groq does: 14400 a day, 30 used, 440 ms after", async () => {
    const bucket = { algorithm: "token-bucket", limit: 14_400, window: "1d", cost };
    const app = appOf({ ...bucket, name: "requests", headers: "openai" });
    await supertest(app).get("/").set("x-cost", "29");
    clock.advance(440);
    const { headers } = await supertest(app).get("/");
    expect(headers["x-ratelimit-remaining-requests"]).toBe("14370");
    expect(headers["x-ratelimit-reset-requests"]).toBe("2m59.56s");
  });

  it("counts as Shopify does: 32 of 40, and waits in tenths of seconds", async () => {
    const bucket = { algorithm: "token-bucket", limit: 40, window: "20s", cost };
    const app = appOf({ ...bucket, headers: "shopify" });
    const { headers } = await supertest(app).get("/").set("x-cost", "32");
    expect(headers["x-shopify-shop-api-call-limit"]).toBe("32/40");
    const refused = await supertest(app).get("/").set("x-cost", "12");
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after"]).toBe("2.0");
    expect(refused.body.retryAfter).toBe(2);
  });

  it("counts as Docker Hub does: 80 of 100 pulls, of one address", async () => {
    const app = appOf({ limit: 100, window: "6h", cost, headers: "dockerHub" });
    const { headers } = await supertest(app).get("/").set("x-cost", "80");
    expect(headers).toMatchObject({
      "ratelimit-limit": "100;w=21600",
      "ratelimit-remaining": "20;w=21600",
      "docker-ratelimit-source": "127.0.0.1",
    });
  });

  it("says no more than why where Stripe does: no wait, on refusals only", async () => {
    const app = appOf({ name: "global-rate", limit: 1, window: "1s", headers: "stripe" });
    const first = await supertest(app).get("/");
    const second = await supertest(app).get("/");
    expect(first.headers).not.toHaveProperty("stripe-rate-limited-reason");
    expect(second.status).toBe(429);
    expect(second.headers["stripe-rate-limited-reason"]).toBe("global-rate");
    expect(second.headers).not.toHaveProperty("retry-after");
    expect(second.headers["cache-control"]).toBe("no-store");
  });

  it("stands beside a style, where both say the same of what they share", async () => {
    const headers = ["draft-8", "legacy", headerDialects.github] as const;
    const answer = await supertest(appOf({ limit: 5, window: "1m", headers })).get("/");
    expect(answer.headers).toMatchObject({
      ratelimit: expect.stringMatching(/^"default";r=4;t=\d+$/),
      "x-ratelimit-limit": "5",
      "x-ratelimit-used": "1",
      "x-ratelimit-resource": "default",
    });
  });
});
