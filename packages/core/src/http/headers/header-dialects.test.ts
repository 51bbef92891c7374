import { describe, expect, it } from "vitest";
import { rateHeaders } from "../../../test/http-scenarios/rate-headers.ts";
import { headerDialectSchema } from "./header-dialect-schema.ts";
import { type DialectName, headerDialects } from "./header-dialects.ts";
import type { RateStatus } from "./rate-status.ts";

const status: RateStatus = {
  policy: "default",
  limit: 60,
  window: 60_000,
  remaining: 59,
  retryAfter: 0,
  resetAfter: 1000,
  allowed: true,
};

function written(
  dialect: DialectName,
  statuses: readonly Partial<RateStatus>[],
  now = 0,
): Record<string, string> {
  const all = statuses.map((each) => ({ ...status, ...each }));
  return Object.fromEntries(rateHeaders([dialect], { reset: "epoch" })(all, 0, now));
}

describe("headerDialects", () => {
  it("are data that a policy file could hold, and that nobody changes by accident", () => {
    for (const dialect of Object.values(headerDialects)) {
      expect(headerDialectSchema.parse(JSON.parse(JSON.stringify(dialect)))).toEqual(dialect);
      expect(Object.isFrozen(dialect)).toBe(true);
    }
    expect(Object.isFrozen(headerDialects.discord.reset)).toBe(true);
  });

  it("github: the state of a resource, with the moment of its reset", () => {
    const core = { policy: "core", limit: 5000, window: 3_600_000, remaining: 4987 };
    expect(written("github", [{ ...core, resetAfter: 1_392_000 }], 1_655_119_572_000)).toEqual({
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "4987",
      "x-ratelimit-used": "13",
      "x-ratelimit-reset": "1655120964",
      "x-ratelimit-resource": "core",
    });
  });

  it("discord: fractions of seconds, and on a refusal whose limit it was", () => {
    const bucket = { policy: "abcd1234", limit: 10, window: 64_570, remaining: 0 };
    const waits = { retryAfter: 64_570, resetAfter: 64_570, allowed: false };
    const now = 1_470_173_023_123 - 64_570;
    const state = {
      "X-RateLimit-Limit": "10",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": "1470173023.123",
      "X-RateLimit-Reset-After": "64.57",
      "X-RateLimit-Bucket": "abcd1234",
    };
    expect(written("discord", [{ ...bucket, resetAfter: 64_570 }], now)).toEqual(state);
    expect(written("discord", [{ ...bucket, ...waits }], now)).toEqual({
      ...state,
      "X-RateLimit-Scope": "user",
    });
    expect(written("discord", [{ ...bucket, ...waits, policy: "global" }], now)).toEqual({
      ...state,
      "X-RateLimit-Bucket": "global",
      "X-RateLimit-Global": "true",
      "X-RateLimit-Scope": "global",
    });
  });

  it("openai: each policy under its own name, the reset as a duration", () => {
    const requests = { policy: "requests", limit: 60, remaining: 59, resetAfter: 1000 };
    const tokens = { policy: "tokens", limit: 150_000, remaining: 149_984, resetAfter: 360_000 };
    expect(written("openai", [requests, tokens])).toEqual({
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-reset-tokens": "6m0s",
    });
  });

  it("openai, as Groq sends it: 30 of 14400 a day used, 6 s each, the last one 440 ms ago", () => {
    const requests = { policy: "requests", limit: 14_400, remaining: 14_370, resetAfter: 179_560 };
    expect(written("openai", [requests])).toMatchObject({
      "x-ratelimit-remaining-requests": "14370",
      "x-ratelimit-reset-requests": "2m59.56s",
    });
  });

  it("anthropic: the name of the policy within the header, the reset as a date", () => {
    const requests = { policy: "requests", limit: 50, remaining: 49, resetAfter: 1200 };
    const input = { policy: "input-tokens", limit: 30_000, remaining: 29_000, resetAfter: 2000 };
    const now = Date.UTC(2025, 0, 15, 14, 23, 58);
    expect(written("anthropic", [requests, input], now)).toEqual({
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-input-tokens-remaining": "29000",
      "anthropic-ratelimit-requests-reset": "2025-01-15T14:24:00Z",
      "anthropic-ratelimit-input-tokens-reset": "2025-01-15T14:24:00Z",
    });
  });

  it("dockerHub: 80 of 100 pulls in 6 hours used", () => {
    const pulls = { key: "ip:192.0.2.1", limit: 100, window: 21_600_000, remaining: 20 };
    expect(written("dockerHub", [pulls])).toEqual({
      "ratelimit-limit": "100;w=21600",
      "ratelimit-remaining": "20;w=21600",
      "docker-ratelimit-source": "192.0.2.1",
    });
  });

  it("shopify: 32 of 40 calls in the bucket", () => {
    expect(written("shopify", [{ limit: 40, remaining: 8 }])).toEqual({
      "X-Shopify-Shop-Api-Call-Limit": "32/40",
    });
    expect(headerDialects.shopify.retryAfter).toEqual({ decimals: 1 });
  });

  it("reddit: seconds from now", () => {
    const averaged = { limit: 1000, window: 600_000, remaining: 598, resetAfter: 299_001 };
    expect(written("reddit", [averaged])).toEqual({
      "X-Ratelimit-Remaining": "598",
      "X-Ratelimit-Used": "402",
      "X-Ratelimit-Reset": "300",
    });
  });

  it("x: with one more hyphen", () => {
    const lookup = { limit: 900, window: 900_000, remaining: 899, resetAfter: 900_000 };
    expect(written("x", [lookup], 1_700_000_000_000)).toEqual({
      "x-rate-limit-limit": "900",
      "x-rate-limit-remaining": "899",
      "x-rate-limit-reset": "1700000900",
    });
  });

  it("stripe: nothing until a refusal, and then why", () => {
    expect(written("stripe", [{ policy: "global-rate" }])).toEqual({});
    const refused = { policy: "endpoint-rate", allowed: false, retryAfter: 10, remaining: 0 };
    expect(written("stripe", [refused])).toEqual({ "Stripe-Rate-Limited-Reason": "endpoint-rate" });
    expect(headerDialects.stripe.retryAfter).toBe(false);
  });

  it("slack: nothing but Retry-After", () => {
    expect(written("slack", [{ allowed: false, retryAfter: 10 }])).toEqual({});
    expect(headerDialects.slack).toEqual({ retryAfter: { decimals: 0 } });
  });
});
