import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A redis-server in a process of its own: on 127.0.0.1, on a free port, without persistence, in a temporary folder. */
export interface RedisServer {
  readonly port: number;
  /** The folder of its files; removed by `stop`. */
  readonly folder: string;
  /** Starts it again on the same port, after `kill`; it is empty. */
  start(): Promise<void>;
  /** Sends a signal, `SIGKILL` by default, and waits for the end of the process if the signal ends it. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** How to start a server for tests. */
export interface RedisServerOptions {
  /** Further arguments, such as `["--maxmemory", "2mb"]`. */
  readonly args?: readonly string[];
  /** Default: a free one. */
  readonly port?: number;
}

/** Starts a Redis server found on PATH. Rejects if there is none, or if it does not start. */
export async function redisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await serverBy(options);
    } catch (error) {
      // Another process may have taken it since it was found to be free.
      const taken = /Address already in use/.test(String(error));
      if (!taken || options.port !== undefined || tries === 5) throw error;
    }
  }
}

async function serverBy(options: RedisServerOptions): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "spillway-redis-"));
  const port = options.port ?? (await freePort());
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const quiet = ["--save", "", "--appendonly", "no", "--daemonize", "no"];
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    port,
    folder,
    async start() {
      child = await started([...args, ...quiet, ...(options.args ?? [])]);
    },
    async kill(signal = "SIGKILL") {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const lasts = signal === "SIGSTOP" || signal === "SIGCONT";
      const ended = lasts ? undefined : once(child, "exit");
      child.kill(signal);
      await ended;
    },
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return server;
}

/**
 * Finds a free port, below those that systems give to connections, and such that a cluster's bus, 10 000 above, is
 * below them too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}

async function started(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  const said: string[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const missing =
        error.code === "ENOENT" && "redis-server is not on PATH: install Redis 6.2 or newer";
      reject(new Error(missing || `redis-server does not start: ${error.message}`));
    });
    child.once("exit", () => reject(new Error(`redis-server ended: ${said.join("\n")}`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (said.length < 40) said.push(line);
      if (/Ready to accept connections|Sentinel ID is/.test(line)) resolve();
    });
  });
  await ready;
  return child;
}
