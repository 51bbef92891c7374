const adapter = require("@spillway/express");
const exercise = require("./exercise.cjs");

exercise(adapter);
