export type { IoredisClient } from "./ioredis-client.ts";
export type { NodeRedisArguments, NodeRedisClient } from "./node-redis-client.ts";
export type { RedisClient } from "./redis-client.ts";
export type { RedisStoreOptions } from "./redis-options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
