import type { ServerResponse } from "node:http";

/** Whether the answer has nobody to go to any more. */
export function hasLeft(res: ServerResponse): boolean {
  return res.destroyed || res.closed || socketOf(res)?.destroyed === true;
}

/**
 * Calls back once, when the answer is over or the client has left; at once where that is so already. Answers how to
 * stop waiting.
 */
export function whenOver(res: ServerResponse, then: () => void): () => void {
  if (hasLeft(res)) {
    then();
    return () => {};
  }
  // A pipelined answer that waits for its socket is never told that it closed.
  const socket = res.socket ? undefined : socketOf(res);
  const stop = (): void => {
    res.off("close", over);
    socket?.off("close", over);
  };
  const over = (): void => {
    stop();
    then();
  };
  res.on("close", over);
  socket?.on("close", over);
  return stop;
}

function socketOf(res: ServerResponse): ServerResponse["socket"] | undefined {
  return res.socket ?? res.req?.socket;
}
