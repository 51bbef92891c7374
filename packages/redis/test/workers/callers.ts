import { type AlgorithmName, algorithms, createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";
import { policiesOf } from "./policies.ts";

/** Runs callers that use one key of each algorithm until it refuses them, and prints how many were admitted. */
const [port, limit, callers] = process.argv.slice(2).map(Number) as [number, number, number];
const client = new Redis(port);
const store = redisStore(client, { deadline: 30_000 });
const admitted: Partial<Record<string, number>> = {};

for (const algorithm of Object.keys(algorithms) as AlgorithmName[]) {
  const limiter = createLimiter({ policies: policiesOf(algorithm, limit), store });
  const call = async (): Promise<number> => {
    let passed = 0;
    for (let refusals = 0; refusals < 3; ) {
      const { allowed } = await limiter.check("key");
      if (allowed) passed++;
      else refusals++;
    }
    return passed;
  };
  const counts = await Promise.all(Array.from({ length: callers }, call));
  admitted[algorithm] = counts.reduce((sum, count) => sum + count);
}
process.stdout.write(JSON.stringify(admitted));
client.disconnect();
