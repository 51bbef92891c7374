import byDefault, { ip, memoryStore, rateLimit } from "@spillway/fastify";
import fastify from "fastify";

export async function serve(): Promise<void> {
  const app = fastify();
  await app.register(rateLimit, { limit: 100, window: "1m", store: memoryStore() });
  app.get(
    "/search",
    { config: { rateLimit: { limit: 10, window: "1m", key: ip() } } },
    async (request) => request.rateLimit?.remaining,
  );
  app.get("/health", { config: { rateLimit: false } }, async () => "ok");
  await fastify().register(byDefault, { limit: 100, window: "1m" });
  // @ts-expect-error an unknown option is an error
  await fastify().register(rateLimit, { limit: 100, window: "1m", maximum: 3 });
}
