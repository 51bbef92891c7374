import type { IncomingMessage, ServerResponse } from "node:http";
import { misplaced } from "@spillway/core/http";

/** Says that what calls a middleware is neither Express nor a server of Node; undefined where it is one of them. */
export function misplacedCall(req: IncomingMessage, res: ServerResponse): Error | undefined {
  const answers = typeof (res as Partial<ServerResponse> | null)?.setHeader === "function";
  if (answers && typeof req === "object" && req !== null) return undefined;
  const expected = "a request and its response, as Express hands them over";
  return misplaced("middleware of @spillway/express", expected, req);
}
