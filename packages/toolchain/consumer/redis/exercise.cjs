const assert = require("node:assert/strict");
const { Redis } = require("ioredis");

/** Lets a request pass, and says that it did so blindly, where no Redis answers. */
module.exports = async function exercise({ redisStore }, { createLimiter }) {
  const client = new Redis({ port: 1, lazyConnect: true, retryStrategy: null });
  client.on("error", () => {});
  const limiter = createLimiter({ limit: 2, window: "1m", store: redisStore(client) });
  const decision = await limiter.check("user:42");
  assert.deepEqual([decision.allowed, decision.degraded], [true, true]);
  client.disconnect();
};
