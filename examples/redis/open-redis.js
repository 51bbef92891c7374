import { redisStore } from "@spillway/redis";
import { redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";

/**
 * Takes the Redis of a URL, which must answer, or without one starts a server of its own, on a free port and in a
 * temporary folder; `close` ends only that one. Rejects with what to do about it where there is none.
 *
 * @param {string | undefined} url
 * @returns {Promise<{ url: string; name: string; close(): Promise<void> }>}
 */
export async function openRedis(url) {
  if (url) {
    await answers(url);
    return { url, name: "that of REDIS_URL", close: async () => {} };
  }
  const server = await redisServer().catch((error) => {
    throw new Error(`${error.message}. Or name a running one: REDIS_URL=redis://... npm start`);
  });
  const own = `redis://127.0.0.1:${server.port}`;
  return { url: own, name: `${own}, which ends with this`, close: () => server.stop() };
}

/** @param {string} url */
async function answers(url) {
  const client = new Redis(url, { lazyConnect: true });
  client.on("error", () => {});
  const store = redisStore(client, { deadline: 5000 });
  try {
    await store.ready();
  } catch (error) {
    throw new Error(`REDIS_URL: ${/** @type {Error} */ (error).message}`, { cause: error });
  } finally {
    store.close();
    client.disconnect();
  }
}
