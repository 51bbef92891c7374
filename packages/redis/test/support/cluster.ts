import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type RedisServer, redisServer } from "@spillway/redis/testing";
import { Cluster, type ClusterOptions, Redis } from "ioredis";
import { expect, vi } from "vitest";
import { freed } from "./cleanup.ts";

/** Starts three masters, each with that many replicas, on this machine. */
export async function startCluster(replicas: number): Promise<RedisServer[]> {
  const args = [
    "--cluster-enabled",
    "yes",
    "--cluster-node-timeout",
    "1000",
    "--cluster-require-full-coverage",
    "no",
  ];
  const nodes = await Promise.all(
    Array.from({ length: 3 * (replicas + 1) }, () => redisServer({ args })),
  );
  await promisify(execFile)("redis-cli", [
    "--cluster",
    "create",
    ...nodes.map(({ port }) => `127.0.0.1:${port}`),
    "--cluster-replicas",
    String(replicas),
    "--cluster-yes",
  ]);
  await Promise.all(nodes.map(({ port }) => converged(port, nodes.length)));
  return nodes;
}

/** Resolves once a node knows all the others and serves its slots. */
async function converged(port: number, count: number): Promise<void> {
  const node = new Redis(port);
  await vi.waitFor(
    async () => {
      const info = (await node.cluster("INFO")) as string;
      expect(info).toContain("cluster_state:ok");
      expect(info).toContain(`cluster_known_nodes:${count}`);
    },
    { timeout: 20_000 },
  );
  node.disconnect();
}

/** Creates a client of a cluster that ends with the test. */
export function clusterClient(
  nodes: readonly RedisServer[],
  options: Pick<ClusterOptions, "scaleReads"> = {},
): Cluster {
  const made = new Cluster(
    nodes.map(({ port }) => ({ host: "127.0.0.1", port })),
    {
      clusterRetryStrategy: () => 50,
      retryDelayOnFailover: 50,
      slotsRefreshTimeout: 5000,
      ...options,
    },
  );
  made.on("error", () => {});
  return freed(made, (each) => each.disconnect());
}
