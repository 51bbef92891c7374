/**
 * What a limiter adds to a request: the server's own CPU time per request, less that of the same server without one;
 * and the memory that a request takes, and how much of that outlives the next small collection. Every contender is a
 * process of its own; all of a framework are measured in turn, in many short rounds, once their code is compiled; the
 * median counts.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { median, table } from "./figures.mjs";

const rounds = Number(process.env.ROUNDS ?? 15);
const requests = Number(process.env.REQUESTS ?? 2000);
/** Enough for several small collections. */
const sampled = 5000;
const before = Number(process.env.WARM_UP ?? 15_000);

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

/** Measures one framework and outcome; answers a row for each contender. */
export async function measureHttp(framework, outcome) {
  const names = ["none", ...contenders[framework]];
  const servers = [];
  for (const name of names) servers.push(await start(framework, name, outcome));
  const costs = names.map(() => []);
  for (const server of servers) await drive(server, before);
  for (let round = 0; round < rounds; round++) {
    for (const [i, server] of servers.entries()) costs[i].push(await drive(server, requests));
  }
  const memory = [];
  for (const server of servers) memory.push(await memoryOf(server));
  for (const { child } of servers) child.disconnect();
  const bare = median(costs[0]);
  return names.map((name, i) => ({
    framework,
    outcome,
    limiter: name,
    "CPU µs/request": median(costs[i]).toFixed(1),
    "added µs": i === 0 ? "" : (median(costs[i]) - bare).toFixed(1),
    least: Math.min(...costs[i]).toFixed(1),
    "kB/request": (memory[i].made / 1000).toFixed(1),
    "kB outliving": (memory[i].kept / 1000).toFixed(1),
  }));
}

async function start(framework, name, outcome) {
  const file = fileURLToPath(new URL("./http-server.mjs", import.meta.url));
  const child = fork(file, [framework, name, outcome]);
  const { port } = await answer(child);
  return { child, url: `http://127.0.0.1:${port}/` };
}

/** Sends so many requests, and answers the server's CPU time for each, in microseconds. */
async function drive(server, amount) {
  const from = await ask(server, "cpu");
  await send(server, amount);
  const to = await ask(server, "cpu");
  return (to.user + to.system - from.user - from.system) / amount;
}

/** The bytes that a request takes, and those that outlive a small collection. */
async function memoryOf(server) {
  const figures = {};
  for (const what of ["made", "kept"]) {
    await ask(server, what);
    await send(server, sampled);
    figures[what] = (await ask(server, "sampled")) / sampled;
  }
  return figures;
}

function send({ url }, amount) {
  return autocannon({ url, amount, connections: 8, pipelining: 4 });
}

function ask({ child }, what) {
  child.send(what);
  return answer(child);
}

function answer(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`The server ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
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
