import type { Listener, RedisPort } from "./redis-port.ts";
import { isTryAgain } from "./run-script.ts";

/**
 * A client of ioredis 5 or 6 (`Redis`, with or without Sentinel, or `Cluster`), or of a fork such as iovalkey. A custom
 * client needs only the first two methods; it counts as connected unless it has another `status`.
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

/** Creates the port of an ioredis client. */
export function ioredisPort(client: IoredisClient): RedisPort {
  const exposed = exposingTryAgain(client);
  return {
    client,
    readyEvent: "ready",
    emitsReady: true,
    clustered: client.isCluster === true,
    keyPrefix: keyPrefixOf(client.options),
    state() {
      const { status } = client;
      if (status === "ready" || status === undefined) return "ready";
      if (status === "wait") return "idle";
      return status === "connecting" || status === "connect" ? "coming" : "away";
    },
    evalsha: (sha, keys, args) =>
      Promise.resolve(exposed.evalsha(sha, keys.length, ...keys, ...args)),
    eval: (script, keys, args) =>
      Promise.resolve(exposed.eval(script, keys.length, ...keys, ...args)),
    connect: async () => client.connect?.(),
    reconnect() {
      // A cluster finds the new primary by itself.
      if (client.isCluster !== true && client.status === "ready") client.disconnect?.(true);
    },
    on: (event, listener) => void client.on?.(event, listener),
    off: (event, listener) => void client.off?.(event, listener),
    hasListener: (event) => (client.listenerCount?.(event) ?? 0) > 0,
  };
}

function keyPrefixOf(options: object = {}): string {
  const { keyPrefix } = options as { keyPrefix?: unknown };
  return typeof keyPrefix === "string" ? keyPrefix : "";
}

/** Whether the client's own class sends commands. A subclass does not qualify: what it adds may be private. */
function isOfItsOwnClass(client: object): boolean {
  const prototype = Object.getPrototypeOf(client) as object;
  return ["sendCommand", "handleError"].every(
    (name) => Object.hasOwn(prototype, name) && !Object.hasOwn(client, name),
  );
}

type HandleError = (error: unknown, ttl: unknown, handlers: { defaults(): void }) => void;

/**
 * Makes a cluster report `TRYAGAIN` to its caller, which it otherwise hides and retries every 100 ms while a slot
 * migrates. Everything else remains the client's own. Not with automatic pipelining, as the application's commands
 * might share the pipeline, nor for subclasses.
 */
function exposingTryAgain(client: IoredisClient): IoredisClient {
  const { handleError } = client as { handleError?: HandleError };
  const { enableAutoPipelining } = (client.options ?? {}) as { enableAutoPipelining?: unknown };
  if (client.isCluster !== true || enableAutoPipelining === true) return client;
  if (typeof handleError !== "function" || !isOfItsOwnClass(client)) return client;
  const tell: HandleError = (error, ttl, handlers) =>
    isTryAgain(error) ? handlers.defaults() : handleError.call(client, error, ttl, handlers);
  return new Proxy(client, {
    get: (own, name): unknown => (name === "handleError" ? tell : Reflect.get(own, name)),
  });
}
