import { type Decision, isOutage } from "../../decision.ts";
import { StoreError } from "../../errors.ts";
import { RateLimitError } from "../../rate-limit-error.ts";
import type { HeaderPair } from "../headers/rate-headers.ts";
import type { Body } from "./body.ts";

/** Returns a refusal's error; that of an outage has the code of a failed store. */
export function errorOf(
  decision: Decision,
  status: number,
  body: Body,
  fields: readonly HeaderPair[],
  cause: unknown,
): RateLimitError | StoreError {
  const headers = Object.fromEntries(fields);
  const outage = isOutage(decision);
  const defaultMessage = outage ? "The rate limiter is unavailable." : "Rate limit exceeded.";
  const message = body.message ?? defaultMessage;
  if (!outage) return new RateLimitError(decision, message, status, headers);
  const told = { status, statusCode: status, expose: true, headers, decision };
  // The original error, not the one that wraps it.
  const met = cause instanceof StoreError ? (cause.cause ?? cause) : cause;
  return Object.assign(new StoreError(message, met), told);
}
