import { parseArgs } from "node:util";
import { limit } from "./app.js";
import { demo } from "./demo.js";
import { openRedis } from "./open-redis.js";
import { startServers } from "./servers.js";

let interrupted = false;
/** @type {Promise<void>} */
const interruption = new Promise((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      interrupted = true;
      resolve();
    });
  }
});

try {
  const { values } = parseArgs({ options: { demo: { type: "boolean", default: false } } });
  await start(values.demo);
} catch (error) {
  // the terminal interrupts the servers too, which is no news
  if (!interrupted) {
    console.error(/** @type {Error} */ (error).message);
    process.exitCode = 1;
  }
}

/** @param {boolean} once whether to end after the demonstration */
async function start(once) {
  const redis = await openRedis(process.env.REDIS_URL);
  try {
    const { servers, ended, close } = await startServers(3, redis.url);
    try {
      const urls = servers.map(({ url }) => url);
      console.log(`Redis     ${redis.name}`);
      servers.forEach(({ url, process: id }, i) => {
        console.log(`server ${i + 1}  ${url}  (process ${id})`);
      });
      console.log("\nOne client asks each of them in its turn:\n");
      const failed = ended.then((what) => Promise.reject(new Error(what)));
      const shown = show(urls);
      await Promise.race([interruption, failed, once ? shown : shown.then(() => interruption)]);
    } finally {
      await close();
    }
  } finally {
    await redis.close();
  }

  /** @param {readonly string[]} urls */
  async function show(urls) {
    console.log(await demo(urls));
    if (!once) console.log(invitation(urls));
  }
}

/** @param {readonly string[]} urls */
function invitation(urls) {
  const rounds = Math.ceil(limit / urls.length);
  return `
See it by yourself, as another client:

  for i in $(seq ${rounds}); do for url in ${urls.join(" ")}; do curl -si $url | grep -iE '^(http|x-ratelimit-remaining|retry)'; done; done

Ctrl-C ends all.`;
}
