import type { IncomingMessage, ServerResponse } from "node:http";
import { whenOver } from "./departure.ts";
import { isHeadSent } from "./head-sent.ts";
import { watchStatus } from "./held-fields.ts";

/** The status for a client that left before the head of the response was written. */
export const clientLeft = 499;

const switchingProtocols = 101;

/** Calls back once with the status on the wire, when the response has ended or the client has left. */
export function whenAnswered(res: ServerResponse, then: (status: number) => void): void {
  const before = written(res.req);
  const status = watchStatus(res);
  whenOver(res, () => {
    // A test double of a response may return undefined.
    if (isHeadSent(res) !== false) then(status());
    else then(written(res.req) > before ? switchingProtocols : clientLeft);
  });
}

/** Returns the bytes sent on an upgrade's socket: a WebSocket server writes there, past the response. */
function written(req?: IncomingMessage & { readonly upgrade?: boolean | null }): number {
  return req?.upgrade ? (req.socket.bytesWritten ?? 0) : 0;
}
