/**
 * Measures the nanoseconds of CPU that a limiter takes to find the rules of a request, by their number: what a request
 * through a guard takes with these rules, none of which charges anything, less what it takes with a policy that skips
 * it.
 */
import { fileURLToPath } from "node:url";
import { createGuard } from "@spillway/core/http";
import { median, table } from "./figures.mjs";

const requests = Number(process.env.REQUESTS ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const sizes = [10, 100, 1000];

/** Applications of that many routes, in the ways in which people distinguish routes. */
const shapes = {
  paths: (n) =>
    rulesOf(n, (i) => `${methodAt(i)} /api/v1/${nounAt(i)}${i % 2 === 0 ? "" : "/:id"}`),
  "paths and hosts": (n) =>
    rulesOf(n, (i) => ({ path: "/api/*", host: `${nounAt(i)}.example.com` })),
  "headers, one by one": (n) => rulesOf(n, (i) => ({ header: { "x-plan": nounAt(i) } })),
};

const framework = {
  raw: (req) => req,
  response: () => undefined,
  address: () => "192.0.2.1",
  trust: () => "own",
  doubts: () => undefined,
  user: () => undefined,
  claims: () => undefined,
  route: () => undefined,
};

export function measureMatching() {
  const bare = { limit: 1, window: "1m", skip: () => true };
  return Object.entries(shapes).flatMap(([shape, rulesFor]) =>
    ["first", "all"].map((matching) => {
      const row = { rules: shape, matching };
      for (const n of sizes) {
        const guard = createGuard(framework, { matching, rules: rulesFor(n) });
        const idle = createGuard(framework, bare);
        const spent = [];
        for (let i = 0; i < rounds; i++) spent.push(spentBy(guard, n) - spentBy(idle, n));
        row[`${n} rules, ns`] = Math.max(0, median(spent)).toFixed(0);
      }
      return row;
    }),
  );
}

/** Measures nanoseconds per request, for requests of all rules and some of none in turn. */
function spentBy(guard, n) {
  const asked = Array.from({ length: n + (n >> 2) }, (_, i) => requestAt(i));
  const began = process.cpuUsage();
  for (let i = 0; i < requests; i++) guard.admit({ ...asked[(i * 7919) % asked.length] });
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1000) / requests;
}

function requestAt(i) {
  const noun = nounAt(i);
  return {
    method: methodAt(i),
    url: `/api/v1/${noun}${i % 2 === 0 ? "" : `/${i}`}?page=${i}`,
    headers: { host: `${noun}.example.com`, "x-plan": noun, accept: "*/*" },
    socket: { remoteAddress: "192.0.2.1" },
  };
}

function rulesOf(n, matchAt) {
  return Array.from({ length: n }, (_, i) => ({
    name: `rule ${i}`,
    match: matchAt(i),
    unlimited: true,
  }));
}

function methodAt(i) {
  return ["GET", "POST", "PUT", "DELETE"][(i >> 1) % 4];
}

function nounAt(i) {
  return `resource${i >> 3}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(measureMatching()));
