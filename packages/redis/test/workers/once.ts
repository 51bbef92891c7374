import { createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";

/** Decides once, closes the store twice and then the client, and prints what it saw. */
const client = new Redis(Number(process.argv[2]));
const store = redisStore(client, { deadline: 10_000 });
const limiter = createLimiter({ limit: 1, window: "1m", store });
const { allowed } = await limiter.check("key");
store.close();
store.close();
const after = await limiter.check("key").then(({ reason }) => reason);
process.stdout.write(
  `${allowed} ${after === "store-unavailable" ? "closed" : after} ${client.status}`,
);
await client.quit();
