/**
 * Measures memory stores in one process: they take turns, a few thousand decisions at a time, over the same keys in the
 * same order, so that whatever slows the machine slows them alike. Nanoseconds per decision, one key and a million
 * (KEYS).
 */
import { fileURLToPath } from "node:url";
import { createLimiter, memoryStore } from "@spillway/core";
import { MemoryStore } from "express-rate-limit";
import { table } from "./figures.mjs";

const batch = 20_000;
const rounds = Number(process.env.ROUNDS ?? 120);
const hour = 3_600_000;
const nameOf = (i) => `user:${i}`;

function contenders() {
  const store = memoryStore({ maxKeys: 200_000_000 });
  const limiter = createLimiter({ limit: 1_000_000_000, window: hour, store });
  const peer = new MemoryStore();
  peer.init({ windowMs: hour });
  return {
    "@spillway/core": (key) => limiter.check(key),
    "express-rate-limit": (key) => peer.increment(key),
  };
}

async function measure(keys) {
  const all = Object.entries(contenders());
  for (const [, decide] of all) for (let i = 0; i < keys; i++) await decide(nameOf(i));
  const order = Uint32Array.from({ length: Math.max(keys, batch) }, () => Math.random() * keys);
  const took = all.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const at = (round * batch) % order.length;
    for (const [i, [, decide]] of all.entries()) {
      const from = process.hrtime.bigint();
      for (let n = 0; n < batch; n++) await decide(nameOf(order[(at + n) % order.length]));
      // In the first rounds the code is not compiled yet.
      if (round >= rounds / 4) took[i].push(Number(process.hrtime.bigint() - from) / batch);
    }
  }
  return all.map(([store], i) => {
    const sorted = took[i].sort((a, b) => a - b);
    const at = (part) => Math.round(sorted[Math.floor(sorted.length * part)]);
    return { store, keys, "least ns": at(0), "a tenth, ns": at(0.1), "median ns": at(0.5) };
  });
}

export async function measureSideBySide() {
  return [...(await measure(1)), ...(await measure(Number(process.env.KEYS ?? 1_000_000)))];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(table(await measureSideBySide()));
