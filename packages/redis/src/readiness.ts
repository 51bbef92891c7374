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
  let settle: (error?: unknown) => void = () => {};
  let seen: unknown;

  function comes(idle: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const listeners: [string, (error?: unknown) => void][] = [
        ["ready", () => settle()],
        ["close", () => settle(seen ?? new Error("the connection was closed"))],
        ["end", () => settle(seen ?? new Error("the connection was ended"))],
      ];
      // where the application does not listen, the client itself tells of errors, and must go on doing so
      if (port.listens("error")) {
        listeners.push([
          "error",
          (error) => {
            seen = error;
          },
        ]);
      }
      settle = (error) => {
        settle = () => {};
        coming = undefined;
        for (const [event, listener] of listeners) port.off(event, listener);
        if (error === undefined) {
          seen = undefined;
          resolve();
        } else reject(unreachable(error));
      };
      for (const [event, listener] of listeners) port.on(event, listener);
      if (idle)
        port.connect().then(
          () => settle(),
          (error) => settle(error),
        );
    });
  }

  return {
    whenReady() {
      const state = port.state();
      if (state === "ready") return undefined;
      if (state === "away") {
        return Promise.reject(unreachable(seen ?? new Error("the client is not connected")));
      }
      coming ??= comes(state === "idle");
      return coming;
    },
    close: () => settle(new Error("the store was closed")),
  };
}

function unreachable(cause: unknown): StoreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(`Redis cannot be reached: ${why}`, cause);
}
