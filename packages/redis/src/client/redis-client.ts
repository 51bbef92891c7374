import { ConfigError, received } from "@spillway/core";
import { type IoredisClient, ioredisPort } from "./ioredis-client.ts";
import { type NodeRedisClient, nodeRedisPort } from "./node-redis-client.ts";
import type { RedisPort } from "./redis-port.ts";

/** The clients that `redisStore` supports. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Creates the port of a client. Throws a `ConfigError` for anything else. */
export function redisPort(client: unknown): RedisPort {
  // A pipeline has these methods, but sends nothing.
  if (has(client, "evalsha", "eval") && !("isPipeline" in client)) {
    return ioredisPort(client as unknown as IoredisClient);
  }
  // A pool does not expose whether it is ready, and queues what it cannot send.
  const isPool = has(client, "evalSha", "execute") && "totalClients" in client;
  if (has(client, "evalSha", "eval", "connect", "on", "off") && "isOpen" in client && !isPool) {
    return nodeRedisPort(client as unknown as NodeRedisClient);
  }
  const expected = `a client of ioredis 5 or 6 (Redis or Cluster) or of node-redis 5 or 6${hint(client)}`;
  throw new ConfigError([
    { path: "client", expected, received: isPool ? "a pool of them" : told(client) },
  ]);
}

function has(value: unknown, ...methods: string[]): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

function hint(value: unknown): string {
  if (typeof value === "function") return " (make one: new Redis(…), or createClient(…))";
  if (typeof value === "string") return " (of an address: redisStore(new Redis(url)))";
  const { client } = (value ?? {}) as { client?: unknown };
  return client === undefined ? "" : " (the client itself, and options behind it)";
}

function told(value: unknown): string {
  // An address may contain a password.
  if (typeof value === "string") return "a string";
  if (typeof value === "function") return `a function${value.name && ` ${value.name}`}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Promise) return received(value);
  const name = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `an instance of ${name}`
    : "an object";
}
