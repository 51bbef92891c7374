import { memoryStore, rateLimit } from "@spillway/express";
import express from "express";
import { sessions } from "./accounts.js";
import { chat, echo } from "./chat.js";
import { loggedIn } from "./functions.js";
import { answerQuery } from "./graphql.js";

/**
 * Makes an API. What its clients may do stands in the policies; none of its routes knows of them.
 *
 * @param {object} options
 * @param {import("@spillway/core").PolicySource} options.policies
 * @param {import("@spillway/core").Store} [options.store]
 * @param {(question: string) => import("./chat.js").Completion} [options.complete]
 */
export function createApp({ policies, store = memoryStore(), complete = echo }) {
  const app = express();
  const limit = rateLimit({ source: policies, store });

  // who asks, and what for, is known before it is counted
  app.use(authenticate, express.json({ limit: "16kb" }));
  // in front of the limiter: looking costs nothing
  app.get("/usage", limit.usage());
  app.use(limit);

  app.get("/health", (_req, res) => void res.json({ status: "ok" }));
  app.get("/notes", (_req, res) => void res.json({ notes: ["Buy milk."] }));
  app.get("/search", (req, res) => void res.json({ found: [], for: req.query.q ?? "" }));
  app.post("/login", (req, res) => {
    const account = loggedIn(req);
    if (account) res.json({ token: `session-of-${account.id}` });
    else res.status(401).json({ error: "Wrong name or password" });
  });
  app.post("/graphql", answerQuery);
  app.post("/chat", chat(complete));
  return app;
}

/** @type {(req: import("./functions.js").Request, res: express.Response, next: express.NextFunction) => void} */
function authenticate(req, _res, next) {
  const account = sessions.get(req.get("authorization")?.replace(/^Bearer /, "") ?? "");
  if (account) req.user = account;
  next();
}
