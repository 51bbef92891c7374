import { availableParallelism } from "node:os";

/**
 * Does the work for every item, as many at once as there are processors.
 *
 * Rejects with the first failure, once the work already begun has ended.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} work
 */
export async function inTurns(items, work) {
  const waiting = [...items];
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await work(next);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  });
  for (const outcome of await Promise.allSettled(workers)) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
