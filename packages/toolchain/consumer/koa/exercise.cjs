const assert = require("node:assert/strict");
const Koa = require("koa");
const statuses = require("./statuses.cjs");

/** Refuses the third request. */
module.exports = async function exercise({ rateLimit }) {
  const app = new Koa();
  app.use(rateLimit({ limit: 2, window: "1m" }));
  app.use((context) => {
    context.body = "ok";
  });
  assert.deepEqual(await statuses(app.callback()), [200, 200, 429]);
};
