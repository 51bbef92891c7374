import type { Listener, RedisPort } from "./redis-port.ts";

/**
 * A client of ioredis 5 or 6 (`Redis`, with or without Sentinel, or `Cluster`), or of a fork such as iovalkey. One of
 * your own needs the first two methods only; it counts as connected as long as it has no other `status`.
 */
export interface IoredisClient {
  evalsha(sha: string, numkeys: number, ...args: string[]): Promise<unknown>;
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>;
  readonly status?: string;
  readonly isCluster?: boolean;
  readonly options?: object;
  connect?(): Promise<unknown>;
  disconnect?(reconnect?: boolean): void;
  on?(event: string, listener: Listener): unknown;
  off?(event: string, listener: Listener): unknown;
  listenerCount?(event: string): number;
}

/** Makes a port of such a client. */
export function ioredisPort(client: IoredisClient): RedisPort {
  return {
    client,
    arrives: "ready",
    tells: true,
    clustered: client.isCluster === true,
    keyPrefix: keyPrefixOf(client.options),
    state() {
      const { status } = client;
      if (status === "ready" || status === undefined) return "ready";
      if (status === "wait") return "idle";
      return status === "connecting" || status === "connect" ? "coming" : "away";
    },
    evalsha: (sha, keys, args) =>
      Promise.resolve(client.evalsha(sha, keys.length, ...keys, ...args)),
    eval: (script, keys, args) =>
      Promise.resolve(client.eval(script, keys.length, ...keys, ...args)),
    connect: async () => client.connect?.(),
    reconnect() {
      // a cluster finds the new primary by itself
      if (client.isCluster !== true && client.status === "ready") client.disconnect?.(true);
    },
    on: (event, listener) => void client.on?.(event, listener),
    off: (event, listener) => void client.off?.(event, listener),
    listens: (event) => (client.listenerCount?.(event) ?? 0) > 0,
  };
}

function keyPrefixOf(options: object = {}): string {
  const { keyPrefix } = options as { keyPrefix?: unknown };
  return typeof keyPrefix === "string" ? keyPrefix : "";
}
