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
  let give: (error?: unknown) => void = () => {};

  function comes(idle: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const ready = (): void => give();
      const lost = (error?: unknown): void =>
        give(error instanceof Error ? error : new Error("the connection failed"));
      give = (error) => {
        give = () => {};
        coming = undefined;
        port.off("ready", ready);
        port.off("close", lost);
        port.off("end", lost);
        if (error === undefined) resolve();
        else reject(new StoreError("Redis cannot be reached", error));
      };
      port.on("ready", ready);
      port.on("close", lost);
      port.on("end", lost);
      if (idle) port.connect().then(ready, lost);
    });
  }

  return {
    whenReady() {
      const state = port.state();
      if (state === "ready") return undefined;
      if (state === "away")
        return Promise.reject(new StoreError("Redis is away: the client is not connected"));
      coming ??= comes(state === "idle");
      return coming;
    },
    close: () => give(new Error("the store was closed")),
  };
}
