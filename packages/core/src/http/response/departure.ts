import type { EventEmitter } from "node:events";

/** What is read here of Node's response; the socket of an upgrade, which has none, does too. */
export interface Answer extends EventEmitter {
  readonly destroyed: boolean;
  readonly closed: boolean;
  readonly writableFinished?: boolean;
  /** Of a socket: the client has closed its half. */
  readonly readableEnded?: boolean;
  readonly socket?: End | null;
  readonly req?: { readonly socket: End } | undefined;
}

interface End extends EventEmitter {
  readonly destroyed: boolean;
}

/** Whether the answer has nobody to go to any more. */
export function hasLeft(res: Answer): boolean {
  return (
    res.destroyed || res.closed || res.readableEnded === true || socketOf(res)?.destroyed === true
  );
}

/**
 * Calls back once, when the answer is over or the client has left; at once where that is so already. Answers how to
 * stop waiting. Where there is no connection, as on a platform of functions, an answer is finished and never closed.
 */
export function whenOver(res: Answer, then: () => void): () => void {
  if (hasLeft(res) || res.writableFinished) {
    then();
    return () => {};
  }
  // A pipelined answer that waits for its socket is never told that it closed.
  const socket = res.socket ? undefined : socketOf(res);
  const stop = (): void => {
    leave(res, over);
    res.off("end", over);
    if (socket) leave(socket, over);
  };
  const over = (): void => {
    stop();
    then();
  };
  wait(res, over);
  // Node keeps its half of an upgrade's socket open when the client closes the other one.
  if (res.readableEnded !== undefined) res.on("end", over);
  if (socket) wait(socket, over);
  return stop;
}

/** Under this key an emitter carries all who wait for its end. */
const waitersKey: unique symbol = Symbol("spillway.waiters");

const ends = ["finish", "close"];

type Waited = EventEmitter & { [waitersKey]?: Set<() => void> | undefined };

/** One listener for all: a connection of pipelined requests would else have more of them than Node takes for no leak. */
function wait(emitter: Waited, then: () => void): void {
  const waiters = emitter[waitersKey] ?? new Set();
  if (waiters.size === 0) for (const end of ends) emitter.on(end, tellAll);
  emitter[waitersKey] = waiters.add(then);
}

function leave(emitter: Waited, then: () => void): void {
  emitter[waitersKey]?.delete(then);
  if (emitter[waitersKey]?.size === 0) for (const end of ends) emitter.off(end, tellAll);
}

function tellAll(this: Waited): void {
  for (const then of [...(this[waitersKey] ?? [])]) then();
}

function socketOf(res: Answer): End | undefined {
  return res.socket ?? res.req?.socket;
}
