import { ConfigError } from "@spillway/core";

type Listener = (...args: unknown[]) => void;

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

/** What `redisStore` can speak through. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** What the store needs of a client, whichever it is. What its calls answer are promises, whatever the client's are. */
export interface RedisPort {
  /** Whose port it is: several stores may speak through one client. */
  readonly client: object;
  /** The event that tells that commands can be sent. */
  readonly arrives: string;
  /** Whether the keys of one call must share a slot. */
  readonly clustered: boolean;
  /** What the client puts before every key. */
  readonly keyPrefix: string;
  /** `idle` has never connected, `coming` may be ready soon, `away` lost its server. */
  state(): "ready" | "idle" | "coming" | "away";
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  /**
   * Asks for another connection, where this one leads nowhere or to a server that must not be written to. Only a single
   * client of ioredis can be asked: clusters find the new primary themselves, and node-redis has no such call.
   */
  reconnect(): void;
  on(event: string, listener: Listener): void;
  off(event: string, listener: Listener): void;
  /** Whether somebody listens already. */
  listens(event: string): boolean;
}

/** Makes a port of a client, or throws a `ConfigError` for anything that is none. */
export function redisPort(client: unknown): RedisPort {
  // a pipeline has the methods, and sends nothing
  if (has(client, "evalsha", "eval") && !("isPipeline" in client)) {
    return ioredisPort(client as unknown as IoredisClient);
  }
  // a pool does not tell whether it is ready, and keeps what it cannot send
  const isPool = has(client, "evalSha", "execute") && "totalClients" in client;
  if (has(client, "evalSha", "eval", "connect", "on", "off") && "isOpen" in client && !isPool) {
    return nodeRedisPort(client as unknown as NodeRedisClient);
  }
  const expected = `a client of ioredis 5 or 6 (Redis or Cluster) or of node-redis 5 or 6${hint(client)}`;
  throw new ConfigError([
    { path: "client", expected, received: isPool ? "a pool of them" : told(client) },
  ]);
}

function ioredisPort(client: IoredisClient): RedisPort {
  return {
    client,
    arrives: "ready",
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

function nodeRedisPort(client: NodeRedisClient): RedisPort {
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

function keyPrefixOf(options: object = {}): string {
  const { keyPrefix } = options as { keyPrefix?: unknown };
  return typeof keyPrefix === "string" ? keyPrefix : "";
}

function has(value: unknown, ...methods: string[]): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

function hint(value: unknown): string {
  if (typeof value === "string") return " (of an address: redisStore(new Redis(url)))";
  const { client } = (value ?? {}) as { client?: unknown };
  return client === undefined ? "" : " (the client itself, and options behind it)";
}

function told(value: unknown): string {
  // an address may hold a password
  if (typeof value === "string") return "a text";
  if (typeof value === "function") return `a function${value.name && ` ${value.name}`}`;
  if (typeof value !== "object" || value === null) return String(value);
  const name = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name}` : "an object";
}
