const assert = require("node:assert/strict");

/** Refuses the third check, by the core alone. */
module.exports = async function exercise(core, http, testing) {
  for (const [name, module] of Object.entries({ http, testing })) {
    assert.ok(Object.keys(module).length > 0, `@spillway/core/${name} exports nothing`);
  }
  const store = core.memoryStore({ clock: testing.manualClock() });
  const limiter = core.createLimiter({ limit: 2, window: "1m", store });
  const allowed = [];
  for (let i = 0; i < 3; i++) allowed.push((await limiter.check("user:42")).allowed);
  assert.deepEqual(allowed, [true, true, false]);

  const error = await limiter.checkOrThrow("user:42").catch((reason) => reason);
  assert.equal(error.code, "ERR_RATE_LIMITED");
  assert.equal(error.status, 429);
};
