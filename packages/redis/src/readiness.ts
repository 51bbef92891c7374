import { StoreError } from "@spillway/core";
import type { RedisPort } from "./redis-port.ts";

/** Knows whether a command would be sent now, or be kept by the client for a server that is away. */
export interface Readiness {
  /** Undefined where a command can be sent now; else a promise of that, which rejects when the connection fails. */
  whenReady(): Promise<void> | undefined;
  /** Takes the listeners off. */
  close(): void;
}

/** Watches a client for as long as somebody waits for it; connects it where nobody did. */
export function readinessOf(port: RedisPort): Readiness {
  let coming: Promise<void> | undefined;
  let giveUp: (error: unknown) => void = () => {};
  let seen: unknown;

  function comes(arrival: Arrival): Promise<void> {
    const { promise, resolve, reject } = deferred();
    const settle = (how: () => void): void => {
      if (coming !== promise) return;
      coming = undefined;
      how();
    };
    const lost = (error: unknown): void => {
      seen = error;
      settle(() => reject(unreachable(error)));
    };
    const leave = arrival.wait(() => settle(resolve), lost);
    giveUp = (error) => {
      leave();
      lost(error);
    };
    coming = promise;
    return promise;
  }

  return {
    whenReady() {
      const state = port.state();
      if (state === "ready") {
        seen = undefined;
        arrivals.get(port.client)?.ready();
        return undefined;
      }
      if (state === "away") {
        const error = seen ?? new Error("the client is not connected");
        arrivals.get(port.client)?.lost(error);
        return Promise.reject(unreachable(error));
      }
      const arrival = arrivalOf(port);
      const promise = coming ?? comes(arrival);
      if (state === "idle") arrival.connect();
      return promise;
    },
    close: () => giveUp(new Error("the store was closed")),
  };
}

/** A client on its way, listened to once for all the stores that wait for it. */
interface Arrival {
  /** Calls back once, with what comes of it; answers how to wait no longer. */
  wait(ready: () => void, lost: (error: unknown) => void): () => void;
  connect(): void;
  /** Ends the wait: not every client tells of what came of it. */
  ready(): void;
  lost(error: unknown): void;
}

const arrivals = new WeakMap<object, Arrival>();

function arrivalOf(port: RedisPort): Arrival {
  const arrival = arrivals.get(port.client) ?? arrivalBy(port);
  arrivals.set(port.client, arrival);
  return arrival;
}

function arrivalBy(port: RedisPort): Arrival {
  const waiting = new Set<{ ready(): void; lost(error: unknown): void }>();
  let seen: unknown;
  let asked = false;
  const events: [name: string, listener: (error?: unknown) => void][] = [
    [port.arrives, ready],
    ["close", () => lost(seen ?? new Error("the connection was closed"))],
    ["end", () => lost(seen ?? new Error("the connection was ended"))],
    ["disconnect", () => lost(seen ?? new Error("the connection was ended"))],
  ];
  // where the application does not listen, the client itself tells of errors, and must go on doing so
  if (port.listens("error")) events.push(["error", see]);

  function see(error: unknown): void {
    seen = error;
  }

  function over(): void {
    for (const [event, listener] of events) port.off(event, listener);
    if (arrivals.get(port.client) === arrival) arrivals.delete(port.client);
  }

  function ready(): void {
    over();
    for (const one of [...waiting]) one.ready();
  }

  function lost(error: unknown): void {
    over();
    for (const one of [...waiting]) one.lost(error);
  }

  for (const [event, listener] of events) port.on(event, listener);
  const arrival: Arrival = {
    wait(ready, lost) {
      const one = { ready, lost };
      waiting.add(one);
      return () => {
        waiting.delete(one);
        if (waiting.size === 0) over();
      };
    },
    connect() {
      if (asked) return;
      asked = true;
      port.connect().then(ready, lost);
    },
    ready,
    lost,
  };
  return arrival;
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function deferred(): Deferred {
  let resolve = (): void => {};
  let reject = (_error: unknown): void => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function unreachable(cause: unknown): StoreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(`Redis cannot be reached: ${why}`, cause);
}
