import type { IncomingMessage } from "node:http";
import type { HttpPolicyOptions } from "../../http/index.ts";

/** A policy whose numbers are easy to tell: a window of a minute that the suite's clock starts at. */
export function perMinute(limit: number): HttpPolicyOptions<IncomingMessage> & { limit: number } {
  return { limit, window: "1m", algorithm: "fixed-window" };
}
