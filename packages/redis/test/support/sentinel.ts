import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../src/testing/redis-server.ts";
import { freed } from "./cleanup.ts";

/**
 * Starts a Sentinel that watches `primary`, ends with the test, and promotes a replica when told to (`SENTINEL
 * FAILOVER`).
 */
export async function sentinel(primary: number, given?: number): Promise<number> {
  const folder = freed(await mkdtemp(join(tmpdir(), "spillway-sentinel-")), (path) =>
    rm(path, { recursive: true }),
  );
  const port = given ?? (await freePort());
  const file = join(folder, "sentinel.conf");
  await writeFile(
    file,
    [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${folder}`,
      `sentinel monitor primary 127.0.0.1 ${primary} 1`,
      "sentinel down-after-milliseconds primary 600000",
      "sentinel failover-timeout primary 3000",
    ].join("\n"),
  );
  const child = spawn("redis-server", [file, "--sentinel"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  freed(child, async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("+monitor master primary")) break;
  }
  child.stdout.resume();
  return port;
}
