const assert = require("node:assert/strict");
const express = require("express");
const statuses = require("./statuses.cjs");

/** Refuses the third request. */
module.exports = async function exercise({ rateLimit }) {
  const app = express();
  app.use(rateLimit({ limit: 2, window: "1m" }));
  app.get("/", (_request, response) => response.send("ok"));
  assert.deepEqual(await statuses(app), [200, 200, 429]);
};
