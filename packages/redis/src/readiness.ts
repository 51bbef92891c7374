import { StoreError } from "@spillway/core";
import type { RedisPort } from "./redis-client.ts";

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

  function comes(idle: boolean): Promise<void> {
    const { promise, resolve, reject } = deferred();
    const events: [name: string, listener: (error?: unknown) => void][] = [
      ["ready", () => done(resolve)],
      ["close", () => lost(seen ?? new Error("the connection was closed"))],
      ["end", () => lost(seen ?? new Error("the connection was ended"))],
    ];
    // where the application does not listen, the client itself tells of errors, and must go on doing so
    if (port.listens("error")) events.push(["error", see]);

    function see(error: unknown): void {
      seen = error;
    }

    function done(how: () => void): void {
      if (coming !== promise) return;
      coming = undefined;
      for (const [event, listener] of events) port.off(event, listener);
      how();
    }

    function lost(error: unknown): void {
      done(() => reject(unreachable(error)));
    }

    for (const [event, listener] of events) port.on(event, listener);
    giveUp = lost;
    coming = promise;
    if (idle) port.connect().then(() => done(resolve), lost);
    return promise;
  }

  return {
    whenReady() {
      const state = port.state();
      if (state === "ready") {
        seen = undefined;
        return undefined;
      }
      if (state === "away") {
        return Promise.reject(unreachable(seen ?? new Error("the client is not connected")));
      }
      return coming ?? comes(state === "idle");
    },
    close: () => giveUp(new Error("the store was closed")),
  };
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
