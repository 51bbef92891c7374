/**
 * Measures what a limiter adds to a request: the server's own CPU time per request, less that of the same server
 * without one; and the memory that a request takes, and how much of it outlives the next small collection. Every
 * contender is a process of its own; all of a framework are measured in turn, in many short rounds, once their code is
 * compiled; the median counts.
 */
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { ask, start } from "./children.mjs";
import { median, table } from "./figures.mjs";
import { contendersOf, floor, frameworks, statusOf } from "./http-servers.mjs";

const rounds = Number(process.env.ROUNDS ?? 15);
const requests = Number(process.env.REQUESTS ?? 2000);
/** Enough for several small collections. */
const sampled = 5000;
const before = Number(process.env.WARM_UP ?? 15_000);

/** Measures one framework and outcome; resolves with a row for each contender. */
export async function measureHttp(framework, outcome) {
  const names = contendersOf(framework).filter((name) => name !== floor);
  const servers = [];
  for (const name of names) {
    const { child, said } = await start(new URL("./http-server.mjs", import.meta.url), [
      framework,
      name,
      outcome,
    ]);
    servers.push({
      child,
      url: `http://127.0.0.1:${said.port}/`,
      status: statusOf(name, outcome),
    });
  }
  const costs = names.map(() => []);
  for (const server of servers) await drive(server, before);
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one: what came first was measured as dearer.
    for (let turn = 0; turn < servers.length; turn++) {
      const i = (round + turn) % servers.length;
      costs[i].push(await drive(servers[i], requests));
    }
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

/** Sends that many requests, and resolves with the server's CPU time for each, in microseconds. */
async function drive(server, amount) {
  const from = await ask(server.child, "cpu");
  await send(server, amount);
  const to = await ask(server.child, "cpu");
  return (to.user + to.system - from.user - from.system) / amount;
}

/** Measures the bytes that a request takes, and those that outlive a small collection. */
async function memoryOf(server) {
  const figures = {};
  for (const what of ["made", "kept"]) {
    await ask(server.child, what);
    await send(server, sampled);
    figures[what] = (await ask(server.child, "sampled")) / sampled;
  }
  return figures;
}

async function send({ url, status }, amount) {
  const sent = await autocannon({ url, amount, connections: 8, pipelining: 4 });
  const others = Object.keys(sent.statusCodeStats).filter((each) => Number(each) !== status);
  const wrong = others.reduce((sum, each) => sum + sent.statusCodeStats[each].count, 0);
  // The first request is never refused.
  if (wrong > 1) throw new Error(`${wrong} of ${amount} were not answered with ${status}`);
}

export async function measureAllHttp() {
  const rows = [];
  for (const outcome of ["allowed", "refused"]) {
    for (const framework of frameworks) rows.push(...(await measureHttp(framework, outcome)));
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(await measureAllHttp()));
