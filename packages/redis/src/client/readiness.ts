import { StoreError } from "@spillway/core";
import type { RedisPort } from "./redis-port.ts";
import { messageOf } from "./run-script.ts";

/** Knows whether a command would be sent now, or queued by the client for an unreachable server. */
export interface Readiness {
  /**
   * Calls `ready` once a command can be sent, possibly synchronously, or `lost` with a `StoreError` once the connection
   * fails, or if the client cannot be asked. Neither may throw. Returns a function that stops waiting, which forgets the waiter however long the outage lasts.
   */
  whenReady(ready: () => void, lost: (error: StoreError) => void): () => void;
  /** Returns the error that the client emitted, if any, while the waiter that left last was waiting. */
  why(): unknown;
  /** Removes the listeners. */
  close(): void;
}

interface Waiter {
  readonly ready: () => void;
  readonly lost: (error: StoreError) => void;
}

/** Watches a client while anyone waits for it; connects it if nobody has. */
export function readinessOf(port: RedisPort): Readiness {
  const waiting = new Set<Waiter>();
  let leave: (() => void) | undefined;
  /** Why the connection was lost, while it is. */
  let seen: unknown;
  /** What the client had emitted when the last waiter left. */
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

  function wait(waiter: Waiter): () => void {
    const state = port.state();
    if (state === "ready") {
      seen = undefined;
      arrivals.get(port.client)?.ready();
      waiter.ready();
      return staying;
    }
    if (state === "away") {
      const error = seen ?? new Error("the client is not connected");
      arrivals.get(port.client)?.lost(error);
      waiter.lost(unreachable(error));
      return staying;
    }
    const arrival = arrivalOf(port);
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
  }

  return {
    whenReady(ready, lost) {
      const waiter = { ready, lost };
      try {
        return wait(waiter);
      } catch (error) {
        // The client's own, such as that of a proxy whose target is gone.
        waiting.delete(waiter);
        lost(unreachable(error));
        return staying;
      }
    },

    why: () => told,

    close() {
      leave?.();
      lostBy(new Error("the store was closed"));
    },
  };
}

const staying = (): void => {};

/** How often to poll a client that emits no event when ready, milliseconds. */
const often = 10;

/** A client that is connecting, listened to once for all the stores that wait for it. */
interface Arrival {
  /** Calls back once, with the outcome; returns a function that stops waiting. */
  wait(ready: () => void, lost: (error: unknown) => void): () => void;
  connect(): void;
  /** Returns the last error that the client emitted, if any. */
  seen(): unknown;
  /** Ends the wait: not every client emits the outcome. */
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
  // If the application does not listen, the client itself reports errors, and must go on doing so.
  if (port.hasListener("error")) events.push(["error", see]);

  function see(error: unknown): void {
    seen = error;
  }

  /** For a client that emits no event when ready. */
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
