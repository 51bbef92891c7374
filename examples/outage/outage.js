import { once } from "node:events";
import { parseArgs } from "node:util";
import { redisServer } from "@spillway/redis/testing";
import { Redis } from "ioredis";
import { createApp } from "./app.js";
import * as faults from "./faults.js";
import { createTimeline } from "./timeline.js";
import { createVisitor } from "./visitor.js";

const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => interruption.abort());

try {
  const { values } = parseArgs({ options: { hang: { type: "boolean", default: false } } });
  await outage(values.hang ? faults.hang : faults.kill);
} catch (error) {
  if (!interruption.signal.aborted) console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

/**
 * Runs requests before, during and after a fault of Redis, and prints what clients saw and what the hooks said.
 *
 * @param {faults.Fault} fault
 */
async function outage(fault) {
  const redis = await redisServer();
  const client = new Redis(redis.port);
  // the hooks tell what matters; without a listener the client writes every attempt to connect
  client.on("error", () => {});
  let [entered, left] = [false, false];
  const app = createApp(client, {
    onEnter(error) {
      entered = true;
      timeline.event(`onEnter: ${/** @type {Error} */ (error).message}`);
    },
    onLeave() {
      left = true;
      timeline.event("onLeave");
    },
  });
  const server = app.listen(0, "localhost");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  // whatever happens, it ends
  const signal = AbortSignal.any([interruption.signal, AbortSignal.timeout(60_000)]);
  const timeline = createTimeline(console.log);
  const visitor = createVisitor(`http://localhost:${port}`, timeline.answer, signal);

  try {
    await visitor.times(5);

    await fault.begin(redis);
    timeline.event(fault.begun);
    let refused = 0;
    await visitor.until(({ status }) => {
      if (status === 429) refused++;
      return entered && refused === 3;
    });

    await fault.end(redis);
    timeline.event(fault.ended);
    await visitor.until(() => left);
    await visitor.times(5);
    timeline.end();
  } finally {
    server.close();
    server.closeAllConnections();
    client.disconnect();
    await redis.stop();
  }
}
