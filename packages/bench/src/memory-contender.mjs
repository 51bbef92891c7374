/** A memory store in a process of its own: `node --expose-gc memory-contender.mjs @spillway/core 1000000`. */
import { createLimiter, memoryStore } from "@spillway/core";
import { MemoryStore } from "express-rate-limit";
import { RateLimiterMemory } from "rate-limiter-flexible";

const [contender, count, what] = process.argv.slice(2);
const keys = Number(count);
const hour = 3_600_000;

function spillway(algorithm, amounts = { limit: 1_000_000_000 }) {
  const store = memoryStore({ maxKeys: 200_000_000 });
  const limiter = createLimiter({ ...amounts, window: hour, algorithm, store });
  return (key) => limiter.check(key);
}

/** Each decides without HTTP as its documentation does, by the call that a limiter makes per request. */
const contenders = {
  "@spillway/core": () => spillway("sliding-window"),
  "@spillway/core, fixed window": () => spillway("fixed-window"),
  // Slow to refill: a key that is full again is forgotten, and would cost nothing.
  "@spillway/core, token bucket": () =>
    spillway("token-bucket", { limit: 3600, burst: 1_000_000_000 }),
  "express-rate-limit"() {
    const store = new MemoryStore();
    store.init({ windowMs: hour });
    return (key) => store.increment(key);
  },
  "rate-limiter-flexible"() {
    const limiter = new RateLimiterMemory({ points: 1_000_000_000, duration: hour / 1000 });
    return (key) => limiter.consume(key, 1);
  },
};

const nameOf = (i) => `user:${i}`;
const order = shuffled(keys);
const check = await warmedUp();
process.send(what === "longest" ? await longestCall() : await figures());

async function figures() {
  const before = await memoryInUse();
  const cold = await pass(keys, (i) => nameOf(order[i]));
  const bytes = ((await memoryInUse()) - before) / keys;
  const resident = process.memoryUsage.rss();
  const warm = await pass(Math.min(keys, 10_000_000), (i) => nameOf(order[(i * 7919) % keys]));
  const hot = await pass(1_000_000, () => "user:1");
  return { cold, warm, hot, bytes, resident };
}

async function warmedUp() {
  const fresh = contenders[contender]();
  for (let i = 0; i < 20_000; i++) await fresh(`warm-up:${i % 100}`);
  return fresh;
}

/** Measures the longest of the calls that make a store grow, in milliseconds; time between calls is not counted. */
async function longestCall() {
  let most = 0;
  for (let i = 0; i < keys; i++) {
    const key = nameOf(order[i]);
    const from = performance.now();
    const decided = check(key);
    const took = performance.now() - from;
    if (took > most) most = took;
    await decided;
  }
  return { longest: most };
}

/** Decides once per step, and resolves with decisions per second of the clock and the CPU time of one. */
async function pass(steps, keyAt) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let i = 0; i < steps; i++) await check(keyAt(i));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: steps / seconds, cpuMicros: (user + system) / steps };
}

/** Collects garbage first; what it held outside of the heap is freed a little later. */
async function memoryInUse() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

/** Returns the numbers below n in an order that is always the same. */
function shuffled(n) {
  const numbers = Uint32Array.from({ length: n }, (_, i) => i);
  let seed = 12_345;
  for (let i = n - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const j = Math.floor((seed / 2 ** 32) * (i + 1));
    [numbers[i], numbers[j]] = [numbers[j], numbers[i]];
  }
  return numbers;
}
