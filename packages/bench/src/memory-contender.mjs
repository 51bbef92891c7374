/** One memory store in a process of its own: `node --expose-gc memory-contender.mjs @spillway/core 1000000`. */
import { createLimiter, memoryStore } from "@spillway/core";
import { MemoryStore } from "express-rate-limit";
import { RateLimiterMemory } from "rate-limiter-flexible";

const [contender, count] = process.argv.slice(2);
const keys = Number(count);
const hour = 3_600_000;

function spillway(algorithm) {
  const store = memoryStore({ maxKeys: 200_000_000 });
  const limiter = createLimiter({ limit: 1_000_000_000, window: hour, algorithm, store });
  return (key) => limiter.check(key);
}

/** Each as its documentation decides without HTTP, by the call that a limiter makes per request. */
const contenders = {
  "@spillway/core": () => spillway("sliding-window"),
  "@spillway/core, fixed window": () => spillway("fixed-window"),
  "@spillway/core, token bucket": () => spillway("token-bucket"),
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

const check = contenders[contender]();
const nameOf = (i) => `user:${i}`;
const order = shuffled(keys);

for (let i = 0; i < 20_000; i++) await check(`warm-up:${i % 100}`);
globalThis.gc?.();
const before = memoryInUse();

const cold = await pass((i) => nameOf(order[i]));
globalThis.gc?.();
const bytes = (memoryInUse() - before) / keys;
const warm = await pass((i) => nameOf(order[(i * 7919) % keys]));
const hot = await pass(() => "user:1");
process.send({ cold, warm, hot, bytes });

/** Decides once per step, and answers decisions per second of CPU and of the clock, and the longest call in ms. */
async function pass(keyAt) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  let longest = 0;
  for (let i = 0; i < keys; i++) {
    const key = keyAt(i);
    const from = performance.now();
    const decided = check(key);
    const took = performance.now() - from;
    if (took > longest) longest = took;
    await decided;
  }
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: keys / seconds, cpuMicros: (user + system) / keys, longest };
}

function memoryInUse() {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

/** The numbers below n in an order that is always the same. */
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
