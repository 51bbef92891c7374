/**
 * Measures what a limiter adds to a request without a network: requests arrive over a connection within the server's
 * process, so that the figures contain only the server's own work. Every contender is several processes of its own; all
 * of a framework take turns, in many short rounds, after a major collection and once their code is compiled. Whatever
 * else a machine does only adds to a round, so the 10th percentile of the rounds counts; the collection of young
 * garbage is in every round. `node request.mjs koa` measures one framework.
 */
import { fileURLToPath } from "node:url";
import { ask, start } from "./children.mjs";
import { median, table } from "./figures.mjs";
import { contendersOf, frameworks } from "./http-servers.mjs";

const processes = Number(process.env.PROCESSES ?? 9);
const rounds = Number(process.env.ROUNDS ?? 5);
const requests = Number(process.env.REQUESTS ?? 3000);
const before = Number(process.env.WARM_UP ?? 12_000);

/** Measures one framework and outcome; resolves with a row for each contender. */
async function measureRequests(framework, outcome) {
  const names = contendersOf(framework);
  const costs = names.map(() => []);
  for (let i = 0; i < processes; i++) {
    const children = [];
    for (const name of names) {
      const file = new URL("./request-contender.mjs", import.meta.url);
      const { child } = await start(file, [framework, name, outcome], {
        execArgv: ["--expose-gc"],
      });
      children.push(child);
    }
    for (const child of children) await ask(child, before);
    for (let round = 0; round < rounds; round++) {
      for (const [at, child] of children.entries()) costs[at].push(await ask(child, requests));
    }
    for (const child of children) child.disconnect();
  }
  const bare = tenth(costs[0]);
  return names.map((limiter, at) => ({
    framework,
    outcome,
    limiter,
    "CPU µs/request": tenth(costs[at]).toFixed(1),
    "added µs": at === 0 ? "" : (tenth(costs[at]) - bare).toFixed(1),
    least: Math.min(...costs[at]).toFixed(1),
    median: median(costs[at]).toFixed(1),
  }));
}

/** Returns the 10th percentile. */
function tenth(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 10)];
}

export async function measureAllRequests(chosen = frameworks) {
  const rows = [];
  for (const outcome of ["allowed", "refused"]) {
    for (const framework of chosen) rows.push(...(await measureRequests(framework, outcome)));
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const chosen = process.argv.slice(2);
  console.log(table(await measureAllRequests(chosen.length > 0 ? chosen : frameworks)));
}
