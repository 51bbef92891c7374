const assert = require("node:assert/strict");
const { createServer } = require("node:http");

const makeExpress = require("express");
const makeFastify = require("fastify");
const Koa = require("koa");

const policy = { limit: 2, window: "1m" };
const expected = [200, 200, 429];

/** Refuses the third request of each framework, and the third check without one. */
module.exports = async function exercise({ core, http, testing, express, fastify, koa }) {
  for (const [name, module] of Object.entries({ http, testing })) {
    assert.ok(Object.keys(module).length > 0, `@spillway/core/${name} exports nothing`);
  }

  const clock = testing.manualClock();
  const limiter = core.createLimiter({ ...policy, store: core.memoryStore({ clock }) });
  const allowed = [];
  for (let i = 0; i < 3; i++) allowed.push((await limiter.check("user:42")).allowed);
  assert.deepEqual(allowed, [true, true, false]);

  const app = makeExpress();
  app.use(express.rateLimit(policy));
  app.get("/", (_request, response) => response.send("ok"));
  assert.deepEqual(await statuses(app), expected, "express");

  const instance = makeFastify();
  await instance.register(fastify.rateLimit, policy);
  instance.get("/", async () => "ok");
  await instance.ready();
  assert.deepEqual(await statuses((...both) => instance.routing(...both)), expected, "fastify");
  await instance.close();

  const application = new Koa();
  application.use(koa.rateLimit(policy));
  application.use((context) => {
    context.body = "ok";
  });
  assert.deepEqual(await statuses(application.callback()), expected, "koa");
};

async function statuses(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const seen = [];
  for (let i = 0; i < 3; i++) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`);
    await response.text();
    seen.push(response.status);
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return seen;
}
