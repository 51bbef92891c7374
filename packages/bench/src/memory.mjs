/**
 * Measures decisions per second and bytes per key of the memory stores: a million keys for the first time (cold) and
 * again (warm), both in shuffled order, and one key (hot). Every contender is a process of its own, and another one for
 * the longest call; they run in turn, several rounds; medians count. With KEYS=100000000 only ours can run.
 */
import { fileURLToPath } from "node:url";
import { start } from "./children.mjs";
import { median, table } from "./figures.mjs";

const keys = Number(process.env.KEYS ?? 1_000_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const all = [
  "@spillway/core",
  "@spillway/core, fixed window",
  "@spillway/core, token bucket",
  "express-rate-limit",
  "rate-limiter-flexible",
];
const contenders = process.env.CONTENDERS?.split(";") ?? all;

export async function measureMemory() {
  const measured = new Map(contenders.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of contenders) {
      measured.get(name).push({ ...(await run(name)), ...(await run(name, "longest")) });
    }
  }
  return contenders.map((name) => {
    const runs = measured.get(name);
    const of = (pick) => median(runs.map(pick));
    const million = (pick) => (of(pick) / 1e6).toFixed(2);
    return {
      store: name,
      keys,
      "cold M/s": million((r) => r.cold.perSecond),
      "warm M/s": million((r) => r.warm.perSecond),
      "hot M/s": million((r) => r.hot.perSecond),
      "cold CPU µs": of((r) => r.cold.cpuMicros).toFixed(2),
      "warm CPU µs": of((r) => r.warm.cpuMicros).toFixed(2),
      "bytes a key": of((r) => r.bytes).toFixed(1),
      "resident GB": (of((r) => r.resident) / 1e9).toFixed(2),
      "longest call ms": of((r) => r.longest).toFixed(1),
    };
  });
}

async function run(name, what = "figures") {
  const args = [name, String(keys), what];
  const execArgv = ["--expose-gc", "--max-old-space-size=16000"];
  const { child, said } = await start(new URL("./memory-contender.mjs", import.meta.url), args, {
    execArgv,
  });
  child.kill();
  return said;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(await measureMemory()));
