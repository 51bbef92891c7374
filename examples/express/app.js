import { apiKey, ip, memoryStore, rateLimit, user } from "@spillway/express";
import express from "express";
import { apiKeys, limits, sessions } from "./accounts.js";

/**
 * Makes an API whose clients have what their plan gives them.
 *
 * @param {{ store?: import("@spillway/core").Store }} [options]
 */
export function createApp({ store = memoryStore() } = {}) {
  const app = express();

  // limiters of one name and one store share what they count
  const pay = (/** @type {number} */ cost) =>
    rateLimit({
      name: "plan",
      limit: limitOf,
      window: "1m",
      key: [apiKey({ verify: (key) => apiKeys.has(key) }), user(), ip()],
      cost,
      store,
    });

  // who asks for health stands before every limit, and is never refused
  app.get("/health", (_req, res) => {
    res.json({ status: "ok" });
  });

  const login = rateLimit({ name: "login", limit: 5, window: "15m", key: ip(), store });
  app.post("/login/:name", login, (req, res) => {
    const token = `session-of-${req.params.name}`;
    if (sessions.has(token)) res.json({ token });
    else res.status(401).json({ error: "Unknown name" });
  });

  app.use(authenticate);
  app.get("/report", pay(5), (_req, res) => {
    res.json({ pages: 100 });
  });

  // from here on everything pays one, unknown paths too
  app.use(pay(1));
  app.get("/notes", (_req, res) => {
    res.json({ notes: ["Buy milk."] });
  });
  return app;
}

/** @typedef {express.Request & { user?: import("./accounts.js").Account }} Request */

/** @type {(req: Request, res: express.Response, next: express.NextFunction) => void} */
function authenticate(req, _res, next) {
  const account = sessions.get(req.get("authorization")?.replace(/^Bearer /, "") ?? "");
  if (account) req.user = account;
  next();
}

/** @param {Request} req */
function limitOf(req) {
  const account = apiKeys.get(req.get("x-api-key") ?? "") ?? req.user;
  return limits[account?.plan ?? "anonymous"];
}
