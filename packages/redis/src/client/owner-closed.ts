import { systemClock } from "@spillway/core";
import type { Listener } from "./redis-port.ts";

/** The parts of a node-redis client that show whether its owner closed it. */
export interface Closable {
  readonly isOpen: boolean;
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  listenerCount?(event: string): number;
}

/** What a client connects to: one server, the server that a Sentinel names, or a cluster. */
export type Kind = "single" | "sentinel" | "cluster";

/** Whether its owner closed a client that is not open: such a client must not be opened again. */
export interface OwnerClosed {
  known(): boolean;
  /** Notes that the client was seen open, and whether commands could be sent. */
  open(isReady: boolean): void;
  /** For a Sentinel client: connecting failed, and it stays open. */
  lost: boolean;
}

const all = new WeakMap<Closable, OwnerClosed>();

/** Watches a client, once for all its stores. */
export function ownerClosed(client: Closable, kind: Kind): OwnerClosed {
  const watched =
    all.get(client) ?? (kind === "single" ? watchSingle(client) : watch(client, kind));
  all.set(client, watched);
  return watched;
}

/**
 * Milliseconds without an attempt to connect after an error of a closed client of version 5, until it has given up:
 * longer than its own strategy waits. Until then its owner may have closed it during an attempt.
 */
const quiet = 5000;

/**
 * Watches a client of one server, which its owner closed unless it gave up by itself. Version 6 then emits
 * "terminated". Version 5 was open when it tried, emits an error once closed, and does not try again.
 */
function watchSingle(client: Closable): OwnerClosed {
  let opened = client.isOpen;
  let gaveUp = Infinity;
  let tried = false;
  let hears = false;

  function open(): void {
    opened = true;
    gaveUp = Infinity;
  }

  function failed(): void {
    if (client.isOpen) opened = true;
    else if (tried) gaveUp = Math.min(gaveUp, systemClock() + quiet);
    tried = client.isOpen;
  }

  /** If the application does not listen, an error must go on ending the process. */
  function hear(): void {
    if (hears || !client.listenerCount?.("error")) return;
    hears = true;
    client.on("error", failed);
  }

  function connected(): void {
    hear();
    tried = false;
    open();
  }

  client.on("connect", connected);
  client.on("ready", connected);
  client.on("end", () => {
    tried = false;
    open();
  });
  client.on("reconnecting", () => {
    hear();
    tried = client.isOpen;
    if (!tried) open();
  });
  client.on("terminated", () => {
    gaveUp = -Infinity;
  });
  hear();
  return {
    known: () => opened && systemClock() < gaveUp,
    open() {
      hear();
      open();
    },
    lost: false,
  };
}

/** Events that show that another kind of client is in use, or was closed. */
const signs: Readonly<Record<"sentinel" | "cluster", readonly string[]>> = {
  // A client that could not connect closes itself, and emits the same events as if its owner had.
  sentinel: ["ready"],
  cluster: ["connect", "disconnect"],
};

/**
 * Watches other clients. If one that was ever in use is closed, its owner closed it: they try to connect as long as
 * they are open.
 */
function watch(client: Closable, kind: "sentinel" | "cluster"): OwnerClosed {
  let used = false;

  function note(): void {
    if (used) return;
    used = true;
    for (const event of signs[kind]) client.off(event, note);
  }

  for (const event of signs[kind]) client.on(event, note);
  return {
    known: () => used,
    open(isReady) {
      if (isReady) note();
    },
    lost: false,
  };
}
