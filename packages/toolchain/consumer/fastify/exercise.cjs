const assert = require("node:assert/strict");
const fastify = require("fastify");
const statuses = require("./statuses.cjs");

/** Refuses the third request, whether the plugin comes by its name or as the default. */
module.exports = async function exercise(named, byDefault) {
  for (const plugin of [named, byDefault]) {
    const app = fastify();
    await app.register(plugin, { limit: 2, window: "1m" });
    app.get("/", async () => "ok");
    await app.ready();
    assert.deepEqual(await statuses((...both) => app.routing(...both)), [200, 200, 429]);
    await app.close();
  }
};
