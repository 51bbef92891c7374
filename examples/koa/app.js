import Router from "@koa/router";
import { apiKey, ip, memoryStore, rateLimit, user } from "@spillway/koa";
import Koa from "koa";
import { apiKeys, limits, sessions } from "./accounts.js";

/**
 * Makes an API whose clients have what their plan gives them.
 *
 * @param {{ store?: import("@spillway/core").Store }} [options]
 */
export function createApp({ store = memoryStore() } = {}) {
  const app = new Koa();

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

  app.use(authenticate);

  const first = new Router();
  // who asks for health stands before every limit, and is never refused
  first.get("/health", (ctx) => {
    ctx.body = { status: "ok" };
  });
  const login = rateLimit({ name: "login", limit: 5, window: "15m", key: ip(), store });
  first.post("/login/:name", login, (ctx) => {
    const token = `session-of-${ctx.params.name}`;
    if (!sessions.has(token)) ctx.status = 401;
    ctx.body = sessions.has(token) ? { token } : { error: "Unknown name" };
  });
  first.get("/report", pay(5), (ctx) => {
    ctx.body = { pages: 100 };
  });
  app.use(first.routes());

  // from here on everything pays one, unknown paths too
  app.use(pay(1));
  const second = new Router();
  second.get("/notes", (ctx) => {
    ctx.body = { notes: ["Buy milk."] };
  });
  app.use(second.routes());
  return app;
}

/** @type {Koa.Middleware} */
function authenticate(ctx, next) {
  ctx.state.user = sessions.get(ctx.get("authorization").replace(/^Bearer /, ""));
  return next();
}

/** @param {import("@spillway/koa").KoaContext} ctx */
function limitOf(ctx) {
  const { user } = /** @type {{ user?: import("./accounts.js").Account }} */ (ctx.state);
  const account = apiKeys.get(String(ctx.req.headers["x-api-key"])) ?? user;
  return limits[account?.plan ?? "anonymous"];
}
