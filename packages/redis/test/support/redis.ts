import { type RedisServer, type RedisServerOptions, redisServer } from "@spillway/redis/testing";
import { Redis, type RedisOptions } from "ioredis";
import { freed } from "./cleanup.ts";
import { type TcpProxy, tcpProxy } from "./tcp-proxy.ts";

/** Starts a Redis server that ends with the test. */
export async function server(options?: RedisServerOptions): Promise<RedisServer> {
  return freed(await redisServer(options), (made) => made.stop());
}

/** Starts a proxy that ends with the test. */
export async function proxy(port: number): Promise<TcpProxy> {
  return freed(await tcpProxy(port), (made) => made.close());
}

type Options = Pick<
  RedisOptions,
  | "autoResendUnfulfilledCommands"
  | "commandTimeout"
  | "enableReadyCheck"
  | "keyPrefix"
  | "lazyConnect"
  | "maxRetriesPerRequest"
  | "password"
  | "username"
>;

/** Creates a client that reconnects quickly and ends with the test. */
export function client(port: number, options: Options = {}): Redis {
  const made = new Redis({ port, retryStrategy: () => 20, ...options });
  // An application that listens for errors; without it the client writes each to stderr.
  made.on("error", () => {});
  return freed(made, (each) => each.disconnect());
}
