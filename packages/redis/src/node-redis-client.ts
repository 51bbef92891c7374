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

/** What the client is for: one server, whichever a Sentinel names, or a cluster. */
type Kind = "single" | "sentinel" | "cluster";

/** Makes a port of such a client. */
export function nodeRedisPort(client: NodeRedisClient): RedisPort {
  const kind = kindOf(client);
  const use = useOf(client, kind);
  /** A Sentinel of version 5 whose first connecting failed stays open, and can never be connected again. */
  let failed = false;

  /** A call that fails tells nothing of the use: the client may only be connecting. */
  function noted(answer: Promise<unknown>): Promise<unknown> {
    if (!use.known && kind !== "single") answer.then(use.note, () => {});
    return Promise.resolve(answer);
  }

  return {
    client,
    // A cluster tells of its nodes by "node-ready", and of itself by this.
    arrives: kind === "cluster" ? "connect" : "ready",
    // Sentinels of version 5 do not.
    tells: kind !== "sentinel",
    clustered: kind === "cluster",
    keyPrefix: "",
    state() {
      // One that its owner closed must not be opened again; while it is closing, it is ready and open no more.
      if (!client.isOpen) return use.known || client.isReady === true ? "away" : "idle";
      if (!isReady(client)) return failed ? "away" : "coming";
      if (kind === "sentinel") use.note();
      return "ready";
    },
    evalsha: (sha, keys, args) =>
      noted(client.evalSha(sha, { keys: [...keys], arguments: [...args] })),
    eval: (script, keys, args) =>
      noted(client.eval(script, { keys: [...keys], arguments: [...args] })),
    async connect() {
      try {
        await client.connect();
      } catch (error) {
        failed = kind === "sentinel" && client.isOpen;
        throw error;
      }
    },
    reconnect() {},
    on: (event, listener) => void client.on(event, listener),
    off: (event, listener) => void client.off(event, listener),
    listens: (event) => (client.listenerCount?.(event) ?? 0) > 0,
  };
}

function kindOf(client: NodeRedisClient): Kind {
  if ("getSentinelNode" in client) return "sentinel";
  return Array.isArray((client as { masters?: unknown }).masters) ? "cluster" : "single";
}

/**
 * Whether its owner closed a client that is not open any more. One of a single server tells of that alone, and not of
 * giving up by itself; of others it is taken for granted once they were in use.
 */
interface Use {
  known: boolean;
  note(): void;
}

const uses = new WeakMap<NodeRedisClient, Use>();

/** Listens until that is known, once for all the stores that a client has. */
function useOf(client: NodeRedisClient, kind: Kind): Use {
  const use = uses.get(client) ?? watched(client, kind);
  uses.set(client, use);
  // One that is only connecting may fail at that, and its owner has closed nothing then.
  if (kind !== "single" && isReady(client)) use.note();
  return use;
}

/** Whether commands can be sent. Older clusters do not tell; they know no master before that. */
function isReady(client: NodeRedisClient): boolean {
  const { masters } = client as { readonly masters?: readonly unknown[] };
  return client.isReady ?? (client.isOpen && masters !== undefined && masters.length > 0);
}

/** The events by which it is known. A Sentinel that could not connect closes itself, and tells so as if its owner had. */
const signs: Readonly<Record<Kind, readonly string[]>> = {
  single: ["end"],
  sentinel: ["ready"],
  cluster: ["connect", "disconnect"],
};

function watched(client: NodeRedisClient, kind: Kind): Use {
  const use: Use = {
    known: false,
    note() {
      if (use.known) return;
      use.known = true;
      for (const event of signs[kind]) client.off(event, use.note);
    },
  };
  for (const event of signs[kind]) client.on(event, use.note);
  return use;
}
