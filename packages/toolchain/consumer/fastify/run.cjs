const adapter = require("@spillway/fastify");
const exercise = require("./exercise.cjs");

exercise(adapter.rateLimit, adapter.default);
