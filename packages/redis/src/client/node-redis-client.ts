import { type Kind, ownerClosed } from "./owner-closed.ts";
import type { Listener, RedisPort } from "./redis-port.ts";

/** A client of node-redis 5 or 6: of one server, a Sentinel or a cluster. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  evalSha(sha: string, options: NodeRedisArguments): Promise<unknown>;
  eval(script: string, options: NodeRedisArguments): Promise<unknown>;
  connect(): Promise<unknown>;
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  listenerCount?(event: string): number;
}

/** The keys and arguments of a script, as node-redis takes them. */
export interface NodeRedisArguments {
  keys: string[];
  arguments: string[];
}

/** Makes a port of such a client. */
export function nodeRedisPort(client: NodeRedisClient): RedisPort {
  const kind = kindOf(client);
  const closed = ownerClosed(client, kind);
  // One that is only connecting may fail at that, and its owner has closed nothing then.
  if (isReady(client)) closed.open(true);

  /** A call that fails tells nothing of the use: the client may only be connecting. */
  function noted(answer: Promise<unknown>): Promise<unknown> {
    if (kind !== "single" && !closed.known())
      answer.then(
        () => closed.open(true),
        () => {},
      );
    return Promise.resolve(answer);
  }

  return {
    client,
    // A cluster tells of its nodes by "node-ready", and of itself by this.
    readyEvent: kind === "cluster" ? "connect" : "ready",
    // Sentinels of version 5 do not.
    emitsReady: kind !== "sentinel",
    clustered: kind === "cluster",
    keyPrefix: "",
    state() {
      // While its owner is closing it, it is ready and open no more.
      if (!client.isOpen) return closed.known() || client.isReady === true ? "away" : "idle";
      const ready = isReady(client);
      if (kind !== "cluster") closed.open(ready);
      if (ready) return "ready";
      return closed.lost ? "away" : "coming";
    },
    evalsha: (sha, keys, args) =>
      noted(client.evalSha(sha, { keys: [...keys], arguments: [...args] })),
    eval: (script, keys, args) =>
      noted(client.eval(script, { keys: [...keys], arguments: [...args] })),
    async connect() {
      try {
        await client.connect();
      } catch (error) {
        // One of version 5 stays open then, and can never be connected again.
        closed.lost = kind === "sentinel" && client.isOpen;
        throw error;
      }
    },
    reconnect() {},
    on: (event, listener) => void client.on(event, listener),
    off: (event, listener) => void client.off(event, listener),
    hasListener: (event) => (client.listenerCount?.(event) ?? 0) > 0,
  };
}

function kindOf(client: NodeRedisClient): Kind {
  if ("getSentinelNode" in client) return "sentinel";
  return Array.isArray((client as { masters?: unknown }).masters) ? "cluster" : "single";
}

/** Whether commands can be sent. Older clusters do not tell; they know no master before that. */
function isReady(client: NodeRedisClient): boolean {
  const { masters } = client as { readonly masters?: readonly unknown[] };
  return client.isReady ?? (client.isOpen && masters !== undefined && masters.length > 0);
}
