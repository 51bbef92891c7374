import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Server processes that share a Redis. `ended` resolves with what to say when one of them ends; `close` ends all.
 *
 * @typedef {{ servers: readonly { url: string; process: number }[]; ended: Promise<string>; close(): Promise<void> }} Servers
 */

/**
 * Starts server processes on free ports. Rejects where one ends before it listens; none is left then.
 *
 * @param {number} count
 * @param {string} redisUrl
 * @returns {Promise<Servers>}
 */
export async function startServers(count, redisUrl) {
  const program = fileURLToPath(new URL("server.js", import.meta.url));
  const env = { ...process.env, REDIS_URL: redisUrl, PORT: "0" };
  // flags of this process, such as --inspect, are its own
  const children = Array.from({ length: count }, () => fork(program, { env, execArgv: [] }));
  const exits = children.map((child) => once(child, "exit"));
  const ended = Promise.race(
    exits.map(async (exit, i) => {
      const [code, signal] = await exit;
      return `Server ${i + 1} ended (${signal ?? `exit code ${code}`}).`;
    }),
  );

  async function close() {
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(exits);
  }

  const failed = ended.then((what) => Promise.reject(new Error(what)));
  const listening = children.map(async (child) => {
    const [url] = await once(child, "message");
    return { url: String(url), process: Number(child.pid) };
  });
  try {
    const servers = await Promise.race([Promise.all(listening), failed]);
    failed.catch(() => {});
    return { servers, ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}
