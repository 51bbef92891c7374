import { setImmediate } from "node:timers/promises";
import { manualClock } from "@spillway/core/testing";
import { ip, memoryStore, rateLimit } from "@spillway/express";
import express from "express";
import { callerOf } from "./caller.js";

/** How many requests are played between two turns of the event loop. */
const atOnce = 10_000;

/**
 * How many requests a client made, how many of them were refused, and the number of the request that
 * was the first of those, by which equals are put in order; `Infinity` without any.
 *
 * @typedef {{ requests: number; refused: number; since: number }} Count
 */

/**
 * Plays every request of a tape at its own time through an Express application that a policy limits by
 * address, and counts by client: an IPv4 address or an IPv6 network.
 *
 * @param {import("./tape.js").Tape} tape
 * @param {import("./options.js").Policy} policy
 */
export async function play(tape, policy) {
  const clock = manualClock();
  const store = memoryStore({ clock, maxKeys: Math.max(1, tape.addresses) });
  const app = express();
  app.use(rateLimit({ ...policy, key: ip(), store }));
  app.use((_req, res) => {
    res.end();
  });

  const call = callerOf(app);
  /** @type {Map<string, Count>} */
  const counts = new Map();
  let played = 0;
  for (const { time, client, request } of tape.inOrder()) {
    clock.set(time);
    const { key, allowed } = call(client, request);
    const name = key.replace(/^ip:/, "");
    const count = counts.get(name) ?? { requests: 0, refused: 0, since: Infinity };
    if (count.requests === 0) counts.set(name, count);
    count.requests++;
    if (!allowed) {
      count.refused++;
      count.since = Math.min(count.since, played);
    }
    if (++played % atOnce === 0) await setImmediate();
  }
  return counts;
}
