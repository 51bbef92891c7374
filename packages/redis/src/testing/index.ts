export { type RedisServer, type RedisServerOptions, redisServer } from "./redis-server.ts";
