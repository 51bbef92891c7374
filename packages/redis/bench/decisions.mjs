// Measures decisions per second and what they cost, against a Redis server of its own. Build first: npm run build.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createLimiter } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";

const port = Number(process.env.REDIS_PORT ?? 16_399);
const seconds = Number(process.env.SECONDS ?? 3);
const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
const lines = createInterface({ input: server.stdout });
for await (const line of lines) if (line.includes("Ready to accept")) break;
server.stdout.resume();

const client = new Redis(port);
const rows = [];
try {
  for (const algorithm of (
    process.env.ALGORITHMS ?? "sliding-window,token-bucket,sliding-log"
  ).split(",")) {
    for (const callers of [1, 16, 256]) {
      for (const batched of [true, false]) rows.push(await measure(algorithm, callers, batched));
    }
  }
  for (const callers of [1, 16, 256]) rows.push(await baseline(callers));
  console.table(rows);
  console.table(await bytesPerKey());
} finally {
  client.disconnect();
  server.kill();
  await once(server, "exit");
}

/** Lets callers decide one after another for some seconds. Without batching each caller has a store of its own. */
function measure(algorithm, callers, batched) {
  const shared = redisStore(client, { deadline: 1000 });
  const options = { limit: 100, window: "1m", algorithm, name: "bench", onError: fail };
  const limiters = Array.from({ length: callers }, () => {
    const store = batched ? shared : redisStore(client, { deadline: 1000 });
    return createLimiter({ ...options, store });
  });
  return timed(algorithm, callers, batched, (caller, key) => limiters[caller].check(key));
}

/** What the simplest command costs on this machine, to compare with. */
function baseline(callers) {
  return timed("SET PX", callers, false, (_, key) => client.set(`rl:${key}`, "x", "PX", 60_000));
}

async function timed(name, callers, batched, act) {
  await client.flushall();
  let acts = 0;
  let end = performance.now() + 500;
  const call = async (caller) => {
    for (let n = caller + 1; performance.now() < end; n = (n * 48_271) % 2_147_483_647) {
      await act(caller, `user:${n % 10_000}`);
      acts++;
    }
  };
  const run = () => Promise.all(Array.from({ length: callers }, (_, i) => call(i)));
  await run();

  acts = 0;
  end = performance.now() + seconds * 1000;
  const before = await serverCost();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await run();
  const took = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await serverCost();
  return {
    what: name,
    callers,
    batched,
    "per second": Math.round(acts / took),
    "client µs": round((user + system) / acts),
    "redis µs": round(((after.cpu - before.cpu) * 1e6) / acts),
    calls: round((after.calls - before.calls) / acts),
    bytes: Math.round((after.bytes - before.bytes) / acts),
  };
}

function fail(error) {
  throw error;
}

async function serverCost() {
  const info = await client.info("everything");
  const field = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? 0);
  const calls = Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(info)?.[1] ?? 0);
  return {
    cpu: field("used_cpu_user") + field("used_cpu_sys"),
    bytes: field("total_net_input_bytes") + field("total_net_output_bytes"),
    calls,
  };
}

async function bytesPerKey() {
  const rows = [];
  for (const algorithm of [
    "sliding-window",
    "fixed-window",
    "token-bucket",
    "leaky-bucket",
    "sliding-log",
  ]) {
    await client.flushall();
    const limiter = createLimiter({
      limit: 100,
      window: "1m",
      algorithm,
      store: redisStore(client),
    });
    for (const [key, uses] of [
      ["user:42", 1],
      ["user:42", 99],
      ["ip:203.0.113.7", 100],
    ]) {
      for (let i = 0; i < uses; i++) await limiter.check(key);
      const name = (await client.keys(`*${key}*`))[0];
      rows.push({
        algorithm,
        key: name,
        used: uses === 99 ? 100 : uses,
        bytes: await client.memory("USAGE", name),
      });
    }
  }
  return rows;
}

function round(value) {
  return Math.round(value * 100) / 100;
}
