export type {
  IoredisClient,
  NodeRedisArguments,
  NodeRedisClient,
  RedisClient,
} from "./redis-client.ts";
export type { RedisStoreOptions } from "./redis-options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
