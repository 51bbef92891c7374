import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type AlgorithmName, algorithms, createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundled } from "./support/bundled.ts";
import { policiesOf } from "./workers/policies.ts";

let server: RedisServer;
let worker: string;

beforeAll(async () => {
  server = await redisServer();
  worker = await bundled(new URL("workers/callers.ts", import.meta.url));
}, 60_000);

afterAll(async () => {
  await server.stop();
  await rm(dirname(worker), { recursive: true });
});

test("four processes of 64 callers each are admitted exactly the limit, and no policy is charged for a refusal", async () => {
  const limit = 1000;
  const args = [worker, String(server.port), String(limit), "64"];
  const runs = await Promise.all(
    [1, 2, 3, 4].map(() => promisify(execFile)(process.execPath, args)),
  );
  const counts = runs.map(({ stdout }) => JSON.parse(stdout) as Record<AlgorithmName, number>);

  const client = new Redis(server.port);
  const store = redisStore(client, { deadline: 30_000 });
  for (const algorithm of Object.keys(algorithms) as AlgorithmName[]) {
    const total = counts.reduce((sum, count) => sum + count[algorithm], 0);
    expect(total, algorithm).toBe(limit);
    const limiter = createLimiter({ policies: policiesOf(algorithm, limit), store });
    const { statuses } = await limiter.peek("key");
    expect(
      statuses.map(({ remaining }) => remaining),
      algorithm,
    ).toEqual([0, limit]);
  }
  client.disconnect();
}, 60_000);
