import { createLimiter, type Store } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Cluster, Redis } from "ioredis";

const store: Store = redisStore(new Redis(), { prefix: "shop" });
export const limiter = createLimiter({ limit: 100, window: "1m", store });
export const clustered: Store = redisStore(new Cluster([{ port: 7000 }]));

// @ts-expect-error an unknown option is an error
redisStore(new Redis(), { prefixes: "shop" });
