import type { ServerResponse } from "node:http";
import type { Refusal } from "../verdict.ts";
import { isHeadSent } from "./head-sent.ts";

/**
 * Sends a refusal on Node's own response. If someone else has begun a response nothing is added to it; it is only
 * ended, since the handler that would have ended it does not run.
 */
export function sendRefusal(
  res: ServerResponse,
  { status, body }: Pick<Refusal, "status" | "body">,
): void {
  if (isHeadSent(res)) {
    if (!res.writableEnded) res.end();
    return;
  }
  res.statusCode = status;
  res.setHeader("Content-Type", body.contentType);
  res.setHeader("Content-Length", Buffer.byteLength(body.text));
  res.end(body.text);
}
