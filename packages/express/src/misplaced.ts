import type { IncomingMessage, ServerResponse } from "node:http";
import { misplaced } from "@spillway/core/http";

/**
 * Returns an error if a middleware was called by something other than Express or a Node server; otherwise undefined.
 */
export function misplacedCall(req: IncomingMessage, res: ServerResponse): Error | undefined {
  const answers = typeof (res as Partial<ServerResponse> | null)?.setHeader === "function";
  if (answers && typeof req === "object" && req !== null) return undefined;
  const expected = "a request and its response, as Express hands them over";
  return misplaced("middleware of @spillway/express", expected, req);
}
