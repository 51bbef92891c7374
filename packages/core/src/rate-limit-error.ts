import type { Decision } from "./decision.ts";

/** Carries a refusal that is thrown: by `checkOrThrow`, and by adapters configured to throw. */
export class RateLimitError extends Error {
  override readonly name = "RateLimitError";
  readonly code = "ERR_RATE_LIMITED";
  readonly status: number;
  readonly statusCode: number;
  /** Tells frameworks that clients may see the message. */
  readonly expose = true;
  readonly decision: Decision;
  /** Header fields of the response, if the refusal belongs to a request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole milliseconds; `Infinity` when waiting cannot help. */
  readonly retryAfter: number;
  readonly limit: number;
  readonly remaining: number;

  constructor(
    decision: Decision,
    message: string,
    status = 429,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.decision = decision;
    this.status = status;
    this.statusCode = status;
    this.headers = headers;
    this.retryAfter = decision.retryAfter;
    this.limit = decision.limit;
    this.remaining = decision.remaining;
  }
}
