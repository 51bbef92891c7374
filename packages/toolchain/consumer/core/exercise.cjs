const assert = require("node:assert/strict");

/** Refuses the third check, by the core alone. */
module.exports = async function exercise(core, http, testing, policyFile) {
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

  const preset = require.resolve("@spillway/core/presets/notion.json");
  const { limit } = await policyFile.readPolicyFile(preset);
  assert.equal(limit, 3);
  const schema = require("@spillway/core/policy-file.schema.json");
  assert.equal(schema.title, "Spillway policies");
  // nothing here depends on the package that reads YAML
  const yaml = await policyFile.parsePolicies("limit: 1", { format: "yaml" }).catch((e) => e);
  assert.equal(yaml.code, "ERR_INVALID_POLICY_FILE");
  assert.match(yaml.message, /expected the package yaml to be installed/);
};
