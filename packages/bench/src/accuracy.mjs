/**
 * Measures how far each algorithm is from the exact log, "at most `limit` in any window": the share of decisions that
 * differ, each limiter following its own history, and the most that any window of that length admitted. Steady traffic
 * is evenly random, bursty traffic comes in clumps; both offer about 1.5 × the limit. Does not read the machine's
 * clock.
 */
import { fileURLToPath } from "node:url";
import { createLimiter, memoryStore } from "@spillway/core";
import { manualClock } from "@spillway/core/testing";
import { table } from "./figures.mjs";

const limit = 100;
const window = 60_000;
const requests = Number(process.env.REQUESTS ?? 200_000);

const contenders = {
  "sliding-log": { algorithm: "sliding-log" },
  "sliding-window, 1 segment": { algorithm: "sliding-window" },
  "sliding-window, 6 segments": { algorithm: "sliding-window", segments: 6 },
  "sliding-window, 60 segments": { algorithm: "sliding-window", segments: 60 },
  "fixed-window": { algorithm: "fixed-window" },
  "token-bucket": { algorithm: "token-bucket" },
};

export async function measureAccuracy() {
  const rows = [];
  for (const [traffic, times] of Object.entries({ steady: steady(), bursty: bursty() })) {
    for (const [name, options] of Object.entries(contenders)) {
      rows.push({ traffic, algorithm: name, ...(await compare(options, times)) });
    }
  }
  return rows;
}

async function compare(options, times) {
  const clock = manualClock();
  const start = clock();
  const limiter = createLimiter({ limit, window, ...options, store: memoryStore({ clock }) });
  const admitted = [];
  let first = 0;
  let wronglyAllowed = 0;
  let wronglyRefused = 0;
  let most = 0;
  for (const time of times) {
    clock.set(start + time);
    while (first < admitted.length && admitted[first] <= time - window) first++;
    const exact = admitted.length - first < limit;
    const { allowed } = await limiter.check("key");
    if (allowed) admitted.push(time);
    if (allowed && !exact) wronglyAllowed++;
    if (!allowed && exact) wronglyRefused++;
    most = Math.max(most, admitted.length - first);
  }
  const share = (count) => `${((count / times.length) * 100).toFixed(3)} %`;
  return {
    "wrongly allowed": share(wronglyAllowed),
    "wrongly refused": share(wronglyRefused),
    "most in a window": most,
    "of the limit": `${Math.round((most / limit) * 100)} %`,
  };
}

function steady() {
  const random = randomNumbers(1);
  const mean = window / (limit * 1.5);
  let time = 0;
  return Array.from({ length: requests }, () => {
    time += Math.round(-Math.log(1 - random()) * mean);
    return time;
  });
}

function bursty() {
  const random = randomNumbers(2);
  const times = [];
  let time = 0;
  while (times.length < requests) {
    const burst = 1 + Math.floor(random() * limit);
    time += Math.round(random() * 2 * burst * (window / (limit * 1.5)));
    for (let i = 0; i < burst; i++) times.push(time + i * 5);
    time += burst * 5;
  }
  return times;
}

/** Park and Miller's generator: the same numbers on every run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(await measureAccuracy()));
