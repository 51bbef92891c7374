const adapter = require("@spillway/koa");
const exercise = require("./exercise.cjs");

exercise(adapter);
