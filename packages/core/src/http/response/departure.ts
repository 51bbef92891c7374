import type { EventEmitter } from "node:events";

/** The parts of Node's response that are read here; for an upgrade, which has none, its socket will do. */
export interface ResponseLike extends EventEmitter {
  readonly destroyed: boolean;
  readonly closed: boolean;
  readonly writableFinished?: boolean;
  /** On a socket: the client has closed its half. */
  readonly readableEnded?: boolean;
  readonly socket?: End | null;
  readonly req?: { readonly socket: End } | undefined;
}

interface End extends EventEmitter {
  readonly destroyed: boolean;
}

/** Whether the response has no recipient any more. */
export function hasLeft(res: ResponseLike): boolean {
  return (
    res.destroyed || res.closed || res.readableEnded === true || socketOf(res)?.destroyed === true
  );
}

/**
 * Calls back once, when the response has ended or the client has left; synchronously if that is so already. Returns a
 * function that stops waiting. Without a connection, as on serverless platforms, a response is finished and never
 * closed.
 */
export function whenOver(res: ResponseLike, then: () => void): () => void {
  if (hasLeft(res) || res.writableFinished) {
    then();
    return () => {};
  }
  // A pipelined response that waits for its socket is never notified that it closed.
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
  // Node keeps its half of an upgrade's socket open when the client closes the other.
  if (res.readableEnded !== undefined) res.on("end", over);
  if (socket) wait(socket, over);
  return stop;
}

/** The key of the callbacks that wait for an emitter's end. */
const waitersKey: unique symbol = Symbol("spillway.waiters");

const ends = ["finish", "close"];

type Waited = EventEmitter & { [waitersKey]?: Set<() => void> | undefined };

/**
 * One listener for all: pipelined requests would otherwise add more to a connection than Node allows without a leak
 * warning.
 */
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

function socketOf(res: ResponseLike): End | undefined {
  return res.socket ?? res.req?.socket;
}
