const core = require("@spillway/core");
const redis = require("@spillway/redis");
const exercise = require("./exercise.cjs");

exercise(redis, core);
