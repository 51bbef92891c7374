import { apiKey, ip, memoryStore, rateLimit, user } from "@spillway/fastify";
import fastify from "fastify";
import { apiKeys, limits, sessions } from "./accounts.js";

/**
 * Makes an API whose clients have what their plan gives them.
 *
 * @param {{ store?: import("@spillway/core").Store }} [options]
 */
export async function createApp({ store = memoryStore() } = {}) {
  const app = fastify();

  // hooks run in the order of their registration: whoever limits by user must know the user first
  app.decorateRequest("user", undefined);
  app.addHook("onRequest", async (/** @type {Request} */ request) => {
    request.user = sessions.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
  });

  await app.register(rateLimit, {
    name: "plan",
    limit: limitOf,
    window: "1m",
    key: [apiKey({ verify: (key) => apiKeys.has(key) }), user(), ip()],
    store,
  });

  app.get("/health", { config: { rateLimit: false } }, async () => ({ status: "ok" }));

  const login = { name: "login", limit: 5, window: /** @type {const} */ ("15m"), key: ip() };
  app.post("/login/:name", { config: { rateLimit: login } }, async (request, reply) => {
    const { name } = /** @type {{ name: string }} */ (request.params);
    const token = `session-of-${name}`;
    return sessions.has(token) ? { token } : reply.code(401).send({ error: "Unknown name" });
  });

  // by its name it shares what the plan counts; without one it had a count of its own
  const report = { name: "plan", cost: 5 };
  app.get("/report", { config: { rateLimit: report } }, async () => ({ pages: 100 }));

  app.get("/notes", async () => ({ notes: ["Buy milk."] }));
  return app;
}

/** @typedef {fastify.FastifyRequest & { user?: import("./accounts.js").Account | undefined }} Request */

/** @param {Request} request */
function limitOf(request) {
  const account = apiKeys.get(String(request.headers["x-api-key"])) ?? request.user;
  return limits[account?.plan ?? "anonymous"];
}
