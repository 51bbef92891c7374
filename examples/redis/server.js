import { redisStore } from "@spillway/redis";
import { Redis } from "ioredis";
import { createApp } from "./app.js";

const client = new Redis(process.env.REDIS_URL || "redis://127.0.0.1:6379");
// onError of the limiter tells what requests meet; without a listener the client writes every attempt
client.on("error", () => {});

// patient, since all of this may run on one busy machine; 100 ms where nothing is said
const store = redisStore(client, { deadline: 2000 });

const wanted = Number(process.env.PORT || 3000);
const server = createApp({ store }).listen(wanted, (error) => {
  if (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const inUse = `Port ${wanted} is in use. Choose another: PORT=${wanted + 1} npm run server`;
    console.error(code === "EADDRINUSE" ? inUse : message);
    process.exitCode = 1;
    stop();
    return;
  }
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://localhost:${port}`;
  if (process.send) process.send(url);
  else console.log(url);
});

function stop() {
  server.close();
  server.closeAllConnections();
  client.disconnect();
  if (process.connected) process.disconnect();
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);
// whoever started this one is gone
process.once("disconnect", stop);
