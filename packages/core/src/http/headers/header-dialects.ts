import { frozen } from "../../frozen.ts";
import type { HeaderDialect } from "./header-dialect.ts";

/** The name of a ready-made dialect. */
export type DialectName =
  | "github"
  | "discord"
  | "openai"
  | "anthropic"
  | "dockerHub"
  | "shopify"
  | "reddit"
  | "x"
  | "stripe"
  | "slack";

/** Dialects of well-known APIs, which their clients understand. Use them by name, or copy and change them. */
export const headerDialects: Readonly<Record<DialectName, HeaderDialect>> = frozen({
  github: {
    prefix: "x-ratelimit-",
    limit: "limit",
    remaining: "remaining",
    used: "used",
    reset: { name: "reset", as: "epoch" },
    resource: "resource",
  },
  discord: {
    prefix: "X-RateLimit-",
    limit: "Limit",
    remaining: "Remaining",
    reset: { name: "Reset", as: "epoch", decimals: 3 },
    resetAfter: { name: "Reset-After", as: "delta", decimals: 2 },
    resource: "Bucket",
    fields: [
      { name: "Global", when: "refused", byPolicy: { global: "true" } },
      {
        name: "Scope",
        when: "refused",
        value: "user",
        byPolicy: { global: "global", shared: "shared" },
      },
    ],
  },
  openai: {
    prefix: "x-ratelimit-",
    limit: "limit-{policy}",
    remaining: "remaining-{policy}",
    reset: { name: "reset-{policy}", as: "duration" },
  },
  anthropic: {
    prefix: "anthropic-ratelimit-{policy}-",
    limit: "limit",
    remaining: "remaining",
    reset: { name: "reset", as: "rfc3339" },
  },
  dockerHub: {
    fields: [
      { name: "ratelimit-limit", value: "{limit};w={window}" },
      { name: "ratelimit-remaining", value: "{remaining};w={window}" },
      { name: "docker-ratelimit-source", value: "{key}" },
    ],
  },
  shopify: {
    fields: [{ name: "X-Shopify-Shop-Api-Call-Limit", value: "{used}/{limit}" }],
    retryAfter: { decimals: 1 },
  },
  reddit: {
    prefix: "X-Ratelimit-",
    remaining: "Remaining",
    used: "Used",
    reset: { name: "Reset", as: "delta" },
  },
  x: {
    prefix: "x-rate-limit-",
    limit: "limit",
    remaining: "remaining",
    reset: { name: "reset", as: "epoch" },
  },
  stripe: {
    resource: { name: "Stripe-Rate-Limited-Reason", when: "refused" },
    retryAfter: false,
  },
  slack: { retryAfter: { decimals: 0 } },
});
