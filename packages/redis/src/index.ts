export type { Charge, Policy, Receipt, Taken } from "@spillway/core";
export type { IoredisClient } from "./client/ioredis-client.ts";
export type { NodeRedisArguments, NodeRedisClient } from "./client/node-redis-client.ts";
export type { RedisClient } from "./client/redis-client.ts";
export type { RedisStoreOptions } from "./redis-options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
