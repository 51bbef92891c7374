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
  const clustered = Array.isArray((client as { masters?: unknown }).masters);
  const use = useOf(client);

  /** Notes the use by what is answered: a call that fails tells nothing, as the client may only be connecting. */
  function noted(answer: Promise<unknown>): Promise<unknown> {
    if (!use.known) answer.then(use.note, () => {});
    return Promise.resolve(answer);
  }

  return {
    client,
    // A cluster tells of its nodes by "node-ready", and of itself by this.
    arrives: clustered ? "connect" : "ready",
    clustered,
    keyPrefix: "",
    state() {
      // one that its owner closed must not be opened again
      if (!client.isOpen) return use.known ? "away" : "idle";
      return isReady(client) ? "ready" : "coming";
    },
    evalsha: (sha, keys, args) =>
      noted(client.evalSha(sha, { keys: [...keys], arguments: [...args] })),
    eval: (script, keys, args) =>
      noted(client.eval(script, { keys: [...keys], arguments: [...args] })),
    connect: async () => client.connect(),
    reconnect() {},
    on: (event, listener) => void client.on(event, listener),
    off: (event, listener) => void client.off(event, listener),
    listens: (event) => (client.listenerCount?.(event) ?? 0) > 0,
  };
}

/** Whether a client was in use: if it is not open any more, its owner closed it. */
interface Use {
  known: boolean;
  note(): void;
}

const uses = new WeakMap<NodeRedisClient, Use>();

/** Listens until a client was in use, once for all the stores that it has. */
function useOf(client: NodeRedisClient): Use {
  const use = uses.get(client) ?? watched(client);
  uses.set(client, use);
  // One that is only connecting may fail at that, and its owner has closed nothing then.
  if (isReady(client)) use.note();
  return use;
}

/** Whether commands can be sent. Older clusters do not tell; they know no master before that. */
function isReady(client: NodeRedisClient): boolean {
  const { masters } = client as { readonly masters?: readonly unknown[] };
  return client.isReady ?? (client.isOpen && masters !== undefined && masters.length > 0);
}

/** The events of a client that was in use, or that its owner closed: "end" of one of a server, "disconnect" of a cluster. */
function signsOf(client: NodeRedisClient): readonly string[] {
  // A Sentinel that could not connect closes itself, and tells so as if its owner had.
  return "getSentinelNode" in client ? ["ready"] : ["end", "disconnect"];
}

function watched(client: NodeRedisClient): Use {
  const signs = signsOf(client);
  const use: Use = {
    known: false,
    note() {
      if (use.known) return;
      use.known = true;
      for (const event of signs) client.off(event, use.note);
    },
  };
  for (const event of signs) client.on(event, use.note);
  return use;
}
