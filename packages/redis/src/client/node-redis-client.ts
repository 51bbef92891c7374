import { type Kind, ownerClosed } from "./owner-closed.ts";
import type { Listener, RedisPort } from "./redis-port.ts";

/** A client of node-redis 5 or 6: for one server, a Sentinel or a cluster. */
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

/** The keys and arguments of a script, in node-redis's form. */
export interface NodeRedisArguments {
  keys: string[];
  arguments: string[];
}

/** Creates the port of a node-redis client. */
export function nodeRedisPort(client: NodeRedisClient): RedisPort {
  const kind = kindOf(client);
  const closed = ownerClosed(client, kind);
  // A client that is only connecting may fail, and its owner has closed nothing then.
  if (isReady(client)) closed.open(true);

  /** A failed call does not show that the client was in use: it may only be connecting. */
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
    // A cluster emits "node-ready" for its nodes, and this for itself.
    readyEvent: kind === "cluster" ? "connect" : "ready",
    // Sentinel clients of version 5 do not.
    emitsReady: kind !== "sentinel",
    clustered: kind === "cluster",
    keyPrefix: "",
    state() {
      // While its owner is closing it, the client is ready but no longer open.
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
        // A Sentinel client of version 5 then stays open, and can never be connected again.
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

/** Whether commands can be sent. Older clusters lack `isReady`; they know no master before that. */
function isReady(client: NodeRedisClient): boolean {
  const { masters } = client as { readonly masters?: readonly unknown[] };
  return client.isReady ?? (client.isOpen && masters !== undefined && masters.length > 0);
}
