import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { manualClock } from "@spillway/core/testing";
import { memoryStore } from "@spillway/koa";
import { apiSuite } from "../api-suite.ts";
import { createApp } from "./app.js";

apiSuite("Koa", async () => {
  const clock = manualClock();
  const server = createApp({ store: memoryStore({ clock }) }).listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((closed) => server.close(closed));
  return { url: `http://localhost:${port}`, clock, close };
});
