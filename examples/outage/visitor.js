import { setTimeout } from "node:timers/promises";

/** Milliseconds between an answer and the next request, and the most requests of one visitor. */
const [pause, most] = [50, 500];

/**
 * Makes a client that asks steadily, one request after the other, and hands on what it sees. Its methods reject when
 * the signal aborts or it has asked too often.
 *
 * @param {string} url
 * @param {(seen: import("./timeline.js").Seen) => void} tell
 * @param {AbortSignal} signal
 */
export function createVisitor(url, tell, signal) {
  let asked = 0;

  async function ask() {
    if (++asked > most)
      throw new Error(`What should have happened had not after ${most} requests.`);
    await setTimeout(pause, undefined, { signal });
    const began = performance.now();
    const answer = await fetch(url, { signal });
    const { degraded } = /** @type {{ degraded: boolean }} */ (await answer.json());
    const remaining = answer.headers.get("x-ratelimit-remaining");
    const seen = { status: answer.status, remaining, degraded, took: performance.now() - began };
    tell(seen);
    return seen;
  }

  return {
    /** @param {number} count */
    async times(count) {
      for (let i = 0; i < count; i++) await ask();
    },

    /** @param {(seen: import("./timeline.js").Seen) => boolean} enough */
    async until(enough) {
      while (!enough(await ask()));
    },
  };
}
