import { manualClock } from "@spillway/core/testing";
import { memoryStore } from "@spillway/fastify";
import { apiSuite } from "../api-suite.ts";
import { createApp } from "./app.js";

apiSuite("Fastify", async () => {
  const clock = manualClock();
  const app = await createApp({ store: memoryStore({ clock }) });
  return { url: await app.listen({ port: 0 }), clock, close: () => app.close() };
});
