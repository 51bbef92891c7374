/** Measures everything and writes docs/benchmarks.md: `node packages/bench/src/all.mjs`, after `npm run build`. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { measureAccuracy } from "./accuracy.mjs";
import { table } from "./figures.mjs";
import { measureAllHttp } from "./http.mjs";
import { measureMatching } from "./match.mjs";
import { measureMemory } from "./memory.mjs";
import { measureRedis } from "./redis.mjs";
import { measureAllRequests } from "./request.mjs";
import { measureSideBySide } from "./side-by-side.mjs";

const peers = [
  "express-rate-limit",
  "rate-limiter-flexible",
  "rate-limit-redis",
  "@fastify/rate-limit",
  "koa-ratelimit",
];
const frameworks = ["express", "fastify", "koa", "ioredis"];

const memory = await measureMemory();
const requests = await measureAllRequests();
const http = await measureAllHttp();
const redis = await measureRedis();
const matching = measureMatching();
const accuracy = await measureAccuracy();
// In this process, and therefore last: it leaves a large heap, and code compiled for memory.
const together = await measureSideBySide();

writeFileSync(
  new URL("../../../docs/benchmarks.md", import.meta.url),
  `# Benchmarks

Spillway beside what people use today, measured by \`node packages/bench/src/all.mjs\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0].model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform}. This page is written by that command; what it means is in [performance.md](performance.md).

Versions: ${[...peers, ...frameworks].map((name) => `${name} ${versionOf(name)}`).join(", ")}.

All contenders of a table take turns in one run, several rounds; the figures are medians where nothing else is said. CPU time is what a request costs; throughput on a shared machine says less.

## Memory stores

One decision at a time, through the public call (\`limiter.check\`, \`store.increment\`, \`limiter.consume\`), each contender in a process of its own; a million keys for the first time (cold), again (warm), and one key (hot). A longest call holds whatever the process did meanwhile, the collection of garbage and other processes of the machine too. Alone: \`node packages/bench/src/memory.mjs\`.

${table(memory)}

In one process, a batch of decisions at a time in turn. Alone: \`node packages/bench/src/side-by-side.mjs\`.

${table(together)}

## What a limiter adds to a request

CPU time of the server per request, less that of the same server without a limiter, where requests come over a connection within the process: the server's work without a network. Whatever else a machine does only adds to a round, so the figure is the 10th percentile of the rounds. "By hand" is no limiter: three fields of known values, and a refusal of a few words, the least that any of them must do. Alone: \`node packages/bench/src/request.mjs\`.

${table(requests)}

## What a limiter adds to a request over a network

CPU time of the server per request, less that of the same server without a limiter; and the memory that a request takes, and how much of it outlives the next collection of young objects, as a profiler samples them. Alone: \`node packages/bench/src/http.mjs\`.

${table(http)}

## Redis

One process, one connection, one Redis server on the same machine. Alone: \`node packages/bench/src/redis.mjs\`.

${table(redis)}

## Rules

Nanoseconds of CPU to find the rules of a request among so many, in a guard; negative where it is lost in the rest. Alone: \`node packages/bench/src/match.mjs\`.

${table(matching)}

## Accuracy

Against "at most 100 in any 60 s" on traffic of 1.5 times that. Alone: \`node packages/bench/src/accuracy.mjs\`.

${table(accuracy)}
`,
);

function versionOf(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
