/**
 * Measures decisions per second, and this process's CPU time for each, on one Redis server: 1, 16 and 256 callers that
 * each ask again as soon as they are answered, over 10 000 keys. Also the CPU time that Redis takes for a decision, and
 * how much of it for commands and scripts. The contenders take turns, several rounds; medians count. On its own it also
 * measures Redis's memory per key. Starts its own redis-server, found on PATH.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { algorithms, createLimiter, leasedStore } from "@spillway/core";
import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";
import { RedisStore } from "rate-limit-redis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { median, table } from "./figures.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const milliseconds = Number(process.env.MILLISECONDS ?? 1000);
const port = Number(process.env.REDIS_PORT ?? 16_398);
const limit = 1_000_000;
const minute = 60_000;
const loads = [1, 16, 256];

/** Returns functions that decide for a key and a caller; those of the peers as their documentation sets them up. */
async function contendersOf(client) {
  const policy = { limit, window: minute };
  const store = () => redisStore(client, { deadline: 5000 });
  const fail = {
    onError: (error) => {
      throw error;
    },
  };
  const one = (algorithm) =>
    createLimiter({ ...policy, ...fail, algorithm, name: algorithm, store: store() });
  const three = createLimiter({
    policies: ["a", "b", "c"].map((name) => ({ ...policy, name })),
    store: store(),
    ...fail,
  });
  const erl = new RedisStore({ sendCommand: (command, ...args) => client.call(command, ...args) });
  await erl.init({ windowMs: minute });
  const flexible = new RateLimiterRedis({ storeClient: client, points: limit, duration: 60 });
  const shared = store();
  const two = ["d", "e"].map((name, i) =>
    createLimiter({ limit: limit / 50 ** i, window: minute, name, store: shared, ...fail }),
  );
  let turn = 0;
  // What one store is asked in a turn is sent together.
  const apart = Array.from({ length: Math.max(...loads) }, () =>
    createLimiter({ ...policy, ...fail, name: "apart", store: store() }),
  );
  const leased = createLimiter({ ...policy, ...fail, name: "leased", store: leasedStore(store()) });
  const sliding = one("sliding-window");
  const bucket = one("token-bucket");
  const fixed = one("fixed-window");
  return {
    "@spillway/redis": (key) => sliding.check(key),
    "@spillway/redis, fixed window": (key) => fixed.check(key),
    "@spillway/redis, token bucket": (key) => bucket.check(key),
    "@spillway/redis, three policies": (key) => three.check(key),
    "@spillway/redis, two limiters in turn": (key) => two[turn++ % 2].check(key),
    "@spillway/redis, a call for each": (key, caller) => apart[caller].check(key),
    "@spillway/redis, leased": (key) => leased.check(key),
    "@spillway/redis, leased, ten keys": (key) => leased.check(key.slice(-1)),
    "rate-limit-redis": (key) => erl.increment(key),
    "rate-limiter-flexible": (key) => flexible.consume(key),
    "a bare SET": (key) => client.set(key, "x", "PX", minute),
  };
}

/** Measures the table of all contenders. */
export function measureRedis() {
  return withRedis(async (client) => compared(await contendersOf(client), client));
}

/** Measures the bytes of a key after a hundred requests under a limit of 100 a minute, by its identity. */
function measureKeys() {
  return withRedis(async (client) => {
    const rows = [];
    for (const algorithm of Object.keys(algorithms)) {
      await client.flushall();
      const store = redisStore(client, { deadline: 5000 });
      const limiter = createLimiter({ limit: 100, window: minute, algorithm, store });
      const row = { algorithm };
      for (const identity of ["user:42", "ip:203.0.113.7"]) {
        for (let i = 0; i < 100; i++) await limiter.check(identity);
        const [key] = await client.keys(`*{${identity}}`);
        row[identity] = await client.memory("USAGE", key);
      }
      rows.push(row);
    }
    return rows;
  });
}

async function withRedis(act) {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("Ready to accept")) break;
  }
  server.stdout.resume();
  const client = new Redis(port);
  try {
    return await act(client);
  } finally {
    client.disconnect();
    server.kill();
    await once(server, "exit");
  }
}

async function compared(contenders, client) {
  const rows = [];
  for (const callers of loads) {
    const runs = new Map(Object.keys(contenders).map((name) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const [name, decide] of Object.entries(contenders)) {
        const run = await drive(decide, callers, client);
        if (round > 0) runs.get(name).push(run);
      }
    }
    for (const [name, all] of runs) {
      const of = (figure) => median(all.map((run) => run[figure]));
      rows.push({
        callers,
        limiter: name,
        "decisions/s": Math.round(of("perSecond")),
        "client CPU µs": of("cpuMicros").toFixed(1),
        "Redis CPU µs": of("redisCpuMicros").toFixed(1),
        "Redis µs": of("micros").toFixed(1),
        "bytes on the wire": Math.round(of("bytes")),
        "calls a decision": of("calls").toFixed(2),
      });
    }
  }
  return rows;
}

async function drive(decide, callers, client) {
  let decisions = 0;
  const before = await seen(client);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const end = began + milliseconds;
  const call = async (caller) => {
    for (let n = caller + 1; performance.now() < end; n = (n * 48_271) % 2_147_483_647) {
      await decide(`user:${n % 10_000}`, caller);
      decisions++;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await seen(client);
  // Redis counts what scripts set as separate commands.
  const sent = after.scripts.calls > before.scripts.calls ? "scripts" : "sets";
  return {
    perSecond: decisions / seconds,
    cpuMicros: (user + system) / decisions,
    redisCpuMicros: (after.cpu - before.cpu) / decisions,
    bytes: (after.bytes - before.bytes) / decisions,
    calls: (after[sent].calls - before[sent].calls) / decisions,
    micros: (after[sent].micros - before[sent].micros) / decisions,
  };
}

async function seen(client) {
  const info = await client.info("everything");
  const field = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? 0);
  const stat = (command, name) =>
    Number(new RegExp(`^cmdstat_${command}:.*?${name}=(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const scripts = (name) => stat("evalsha", name) + stat("eval", name);
  return {
    cpu: (field("used_cpu_user") + field("used_cpu_sys")) * 1e6,
    bytes: field("total_net_input_bytes") + field("total_net_output_bytes"),
    scripts: { calls: scripts("calls"), micros: scripts("usec") },
    sets: { calls: stat("set", "calls"), micros: stat("set", "usec") },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(table(await measureRedis()));
  console.log(`\n${table(await measureKeys())}`);
}
