import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Program, program } from "../program.ts";
import { demo } from "./demo.js";
import { startServers } from "./servers.js";

let folder: string;
const open: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spillway-example-"));
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await rm(folder, { recursive: true });
});

function start(args: readonly string[] = [], env: Record<string, string> = {}): Program {
  return program(new URL("start.js", import.meta.url), args, { TMPDIR: folder, ...env });
}

async function externalRedis(): Promise<Redis> {
  const server = await redisServer();
  open.push(() => server.stop());
  const client = new Redis(server.port);
  open.push(() => client.disconnect());
  return client;
}

const urlOf = ({ options }: Redis): string => `redis://127.0.0.1:${options.port}`;

/** Returns the servers that a program says it started, once it serves in the foreground. */
async function serversOf(running: Program): Promise<{ url: string; id: number }[]> {
  await running.printed(/Ctrl-C ends all/);
  const lines = running.output.matchAll(/^server \d {2}(http:\S+) {2}\(process (\d+)\)$/gm);
  return [...lines].map(([, url, id]) => ({ url: url!, id: Number(id) }));
}

function rowsOf({ output }: Program): (number | string)[][] {
  const rows = output.matchAll(/^ +(\d+) +(\d) +(\d{3}) +(\S+)(?: {2}again in \d+ s)?$/gm);
  return [...rows].map(([, ...columns]) => columns.map(Number));
}

/** Ten requests of a client pass and three are refused, whichever server they reach. */
const shared = Array.from({ length: 13 }, (_, i) => [
  i + 1,
  (i % 3) + 1,
  i < 10 ? 200 : 429,
  Math.max(0, 9 - i),
]);

async function expectRefusedAt(servers: readonly { url: string }[], count = 3): Promise<void> {
  expect(servers).toHaveLength(count);
  for (const { url } of servers) await expect(fetch(url)).rejects.toThrow("fetch failed");
}

/** Connects to a port of this machine, or rejects. */
async function expectAnswer(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

// Generous: the machine may be busy with the other tests.
describe("three servers behind one Redis", { timeout: 120_000 }, () => {
  it("let a client pass exactly ten times, and end with Ctrl-C, their Redis too", async (context) => {
    const running = start();
    const servers = await serversOf(running);
    expect(rowsOf(running)).toEqual(shared);
    expect(running.output).toContain("10 of 13 passed");
    expect(new Set(servers.map(({ id }) => id)).size).toBe(3);

    // Each demonstration is a new client.
    expect(await demo(servers.map(({ url }) => url))).toContain("10 of 13 passed");

    const headers = { "x-forwarded-for": "192.0.2.1" };
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => fetch(servers[i % 3]!.url, { headers })),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const left = passed.map((answer) => Number(answer.headers.get("x-ratelimit-remaining")));
    expect(left.sort((a, b) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const bodies = (await Promise.all(passed.map((answer) => answer.json()))) as Body[];
    expect(bodies.every((body) => servers.some(({ id }) => id === body.process))).toBe(true);

    const [, line] = await running.printed(/^ {2}(for .*curl.*)$/m);
    const tools = ["sh", "curl", "grep", "seq"].map((tool) => promisify(execFile)("which", [tool]));
    const missing = (await Promise.allSettled(tools)).some(({ status }) => status === "rejected");
    if (!missing) {
      const { stdout } = await promisify(execFile)("sh", ["-c", line!]);
      expect(stdout.match(/ 200 /g)).toHaveLength(10);
      expect(stdout.match(/ 429 /g)).toHaveLength(2);
    }

    const [, port] = await running.printed(/redis:\/\/127\.0\.0\.1:(\d+)/);
    await expectAnswer(Number(port));
    running.interrupt();
    expect(await running.ended).toBe(0);
    expect(running.errors).toBe("");
    await expectRefusedAt(servers);
    await expect(expectAnswer(Number(port))).rejects.toThrow("ECONNREFUSED");
    expect(await readdir(folder)).toEqual([]);
    if (missing) context.skip("the line for the shell needs sh, curl, grep and seq");
  });

  it("use the Redis that they are told, and leave it as it is", async () => {
    const redis = await externalRedis();
    const running = start(["--demo"], { REDIS_URL: urlOf(redis) });
    expect(await running.ended).toBe(0);
    expect(running.errors).toBe("");
    expect(rowsOf(running)).toEqual(shared);
    expect(running.output).not.toContain("Ctrl-C");
    expect(await redis.dbsize()).toBe(1);
  });

  it("tell of one that ends", async () => {
    const { servers, ended, close } = await startServers(2, urlOf(await externalRedis()));
    open.push(close);
    process.kill(servers[1]!.process, "SIGKILL");
    expect(await ended).toBe("Server 2 ended (SIGKILL).");
    await close();
    await expectRefusedAt(servers, 2);
  });

  it("end where what started them is gone", async () => {
    const env = { ...process.env, REDIS_URL: urlOf(await externalRedis()), PORT: "0" };
    // Without the conditions by which tests find sources.
    const options = { env, execArgv: [] };
    const server = fork(fileURLToPath(new URL("server.js", import.meta.url)), options);
    open.push(() => server.kill("SIGKILL"));
    const [url] = await once(server, "message");
    expect((await fetch(url)).headers.get("x-ratelimit-remaining")).toBe("9");
    server.disconnect();
    expect(await once(server, "exit")).toEqual([0, null]);
  });

  it("say what to do where there is no Redis", async () => {
    const nowhere = start([], { PATH: folder });
    const away = start([], { REDIS_URL: "redis://127.0.0.1:1" });
    const misspelt = start(["--dmo"]);
    const all = [nowhere, away, misspelt];
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([1, 1, 1]);
    expect(nowhere.errors).toMatch(/^redis-server is not on PATH: install .* REDIS_URL=.*\n$/);
    expect(away.errors).toMatch(/^REDIS_URL: Redis cannot be reached: .*ECONNREFUSED.*\n$/);
    expect(misspelt.errors).toContain("'--dmo'");
    expect(all.map(({ output }) => output)).toEqual(["", "", ""]);
    expect(await readdir(folder)).toEqual([]);
  });
});

interface Body {
  readonly process: number;
}
