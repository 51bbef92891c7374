/**
 * What a limiter adds to a request: the server's own CPU time per request, less that of the same server without one.
 * Every contender is a process of its own; all of a framework are measured in turn, several rounds; the median counts.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { median, table } from "./figures.mjs";

const rounds = Number(process.env.ROUNDS ?? 7);
const requests = Number(process.env.REQUESTS ?? 20_000);

const contenders = {
  express: [
    "@spillway/express",
    "@spillway/express, sliding window",
    "express-rate-limit",
    "rate-limiter-flexible",
  ],
  fastify: ["@spillway/fastify", "@spillway/fastify, sliding window", "@fastify/rate-limit"],
  koa: ["@spillway/koa", "@spillway/koa, sliding window", "koa-ratelimit"],
};

/** Measures one framework and outcome; answers rows of contender, median, least and most µs a request. */
export async function measureHttp(framework, outcome) {
  const names = ["none", ...contenders[framework]];
  const servers = [];
  for (const name of names) servers.push(await start(framework, name, outcome));
  const costs = names.map(() => []);
  for (const server of servers) await drive(server, requests / 2);
  for (let round = 0; round < rounds; round++) {
    for (const [i, server] of servers.entries()) costs[i].push(await drive(server, requests));
  }
  for (const { child } of servers) child.disconnect();
  const bare = median(costs[0]);
  return names.map((name, i) => ({
    framework,
    outcome,
    limiter: name,
    "CPU µs/request": median(costs[i]).toFixed(1),
    "added µs": i === 0 ? "" : (median(costs[i]) - bare).toFixed(1),
    least: Math.min(...costs[i]).toFixed(1),
    most: Math.max(...costs[i]).toFixed(1),
  }));
}

async function start(framework, name, outcome) {
  const file = fileURLToPath(new URL("./http-server.mjs", import.meta.url));
  const child = fork(file, [framework, name, outcome]);
  const { port } = await answer(child);
  return { child, url: `http://127.0.0.1:${port}/` };
}

/** Sends so many requests, and answers the server's CPU time for each, in microseconds. */
async function drive({ child, url }, amount) {
  const before = await cpuOf(child);
  await autocannon({ url, amount, connections: 8, pipelining: 4 });
  const after = await cpuOf(child);
  return (after.user + after.system - before.user - before.system) / amount;
}

async function cpuOf(child) {
  child.send("cpu");
  return (await answer(child)).cpu;
}

function answer(child) {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)));
  });
}

export async function measureAllHttp() {
  const rows = [];
  for (const outcome of ["allowed", "refused"]) {
    for (const framework of Object.keys(contenders))
      rows.push(...(await measureHttp(framework, outcome)));
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(await measureAllHttp()));
