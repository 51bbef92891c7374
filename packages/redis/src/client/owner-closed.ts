import { systemClock } from "@spillway/core";
import type { Listener } from "./redis-port.ts";

/** What of a client of node-redis tells whether its owner closed it. */
export interface Closable {
  readonly isOpen: boolean;
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  listenerCount?(event: string): number;
}

/** What a client is for: one server, whichever a Sentinel names, or a cluster. */
export type Kind = "single" | "sentinel" | "cluster";

/** Whether its owner closed a client that is not open: such a one must not be opened again. */
export interface OwnerClosed {
  known(): boolean;
  /** Notes that it was seen open, or that it was of use, where commands can be sent. */
  open(isReady: boolean): void;
  /** Of a Sentinel: that its connecting failed, and it stays open. */
  lost: boolean;
}

const all = new WeakMap<Closable, OwnerClosed>();

/** Watches a client, once for all the stores that it has. */
export function ownerClosed(client: Closable, kind: Kind): OwnerClosed {
  const watched =
    all.get(client) ?? (kind === "single" ? watchSingle(client) : watch(client, kind));
  all.set(client, watched);
  return watched;
}

/**
 * How long no attempt to connect must follow the error of a closed client of version 5, milliseconds: longer than its own
 * strategy waits. Until then its owner may have closed it while it tried.
 */
const quiet = 5000;

/**
 * One of a server was closed by its owner unless it gave up by itself. Version 6 tells that by "terminated"; version 5
 * by an error of a closed client that was open when it tried, and does not try again.
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

  /** Where the application does not listen, an error must go on ending the process. */
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

/** The events by which others are known to be in use, or closed. */
const signs: Readonly<Record<"sentinel" | "cluster", readonly string[]>> = {
  // One that could not connect closes itself, and tells so as if its owner had.
  sentinel: ["ready"],
  cluster: ["connect", "disconnect"],
};

/** Of others it is taken for granted once they were in use: they try to connect for as long as they are open. */
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
