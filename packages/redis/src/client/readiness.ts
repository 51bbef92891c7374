import { StoreError } from "@spillway/core";
import type { RedisPort } from "./redis-port.ts";
import { messageOf } from "./run-script.ts";

/** Knows whether a command would be sent now, or be kept by the client for a server that is away. */
export interface Readiness {
  /**
   * Calls `ready` once a command can be sent, which may be at once, or `lost` with a `StoreError` once the connection
   * fails. Answers how to wait no longer: who leaves is forgotten, however long the outage lasts.
   */
  whenReady(ready: () => void, lost: (error: StoreError) => void): () => void;
  /** The error that the client told while somebody waited who has left just now, if it did. */
  why(): unknown;
  /** Takes the listeners off. */
  close(): void;
}

interface Waiter {
  readonly ready: () => void;
  readonly lost: (error: StoreError) => void;
}

/** Watches a client for as long as somebody waits for it; connects it where nobody did. */
export function readinessOf(port: RedisPort): Readiness {
  const waiting = new Set<Waiter>();
  let leave: (() => void) | undefined;
  /** By what the connection was lost, as long as it is. */
  let seen: unknown;
  /** What the client told to who waits no longer. */
  let told: unknown;

  function tell(how: (waiter: Waiter) => void): void {
    leave = undefined;
    const all = [...waiting];
    waiting.clear();
    for (const waiter of all) how(waiter);
  }

  function cameBy(): void {
    seen = undefined;
    tell((waiter) => waiter.ready());
  }

  function lostBy(error: unknown): void {
    seen = error;
    tell((waiter) => waiter.lost(unreachable(error)));
  }

  return {
    whenReady(ready, lost) {
      const state = port.state();
      if (state === "ready") {
        seen = undefined;
        arrivals.get(port.client)?.ready();
        ready();
        return staying;
      }
      if (state === "away") {
        const error = seen ?? new Error("the client is not connected");
        arrivals.get(port.client)?.lost(error);
        lost(unreachable(error));
        return staying;
      }
      const arrival = arrivalOf(port);
      const waiter = { ready, lost };
      waiting.add(waiter);
      leave ??= arrival.wait(cameBy, lostBy);
      if (state === "idle") arrival.connect();
      return () => {
        if (!waiting.delete(waiter)) return;
        told = arrival.seen();
        if (waiting.size > 0) return;
        leave?.();
        leave = undefined;
      };
    },

    why: () => told,

    close() {
      leave?.();
      lostBy(new Error("the store was closed"));
    },
  };
}

const staying = (): void => {};

/** How often a client that does not tell is looked at, milliseconds. */
const often = 10;

/** A client on its way, listened to once for all the stores that wait for it. */
interface Arrival {
  /** Calls back once, with what comes of it; answers how to wait no longer. */
  wait(ready: () => void, lost: (error: unknown) => void): () => void;
  connect(): void;
  /** The error that the client told of last, if it did. */
  seen(): unknown;
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
    [port.readyEvent, ready],
    ["close", () => lost(seen ?? new Error("the connection was closed"))],
    ["end", () => lost(seen ?? new Error("the connection was ended"))],
    ["disconnect", () => lost(seen ?? new Error("the connection was ended"))],
  ];
  // where the application does not listen, the client itself tells of errors, and must go on doing so
  if (port.hasListener("error")) events.push(["error", see]);

  function see(error: unknown): void {
    seen = error;
  }

  /** For a client that does not tell. */
  function look(): void {
    if (port.state() === "ready") ready();
  }

  function over(): void {
    clearInterval(looking);
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
  const looking = port.emitsReady ? undefined : setInterval(look, often);
  looking?.unref();
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
    seen: () => seen,
    ready,
    lost,
  };
  return arrival;
}

function unreachable(cause: unknown): StoreError {
  return new StoreError(`Redis cannot be reached: ${messageOf(cause)}`, cause);
}
