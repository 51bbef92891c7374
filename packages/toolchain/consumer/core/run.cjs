const core = require("@spillway/core");
const http = require("@spillway/core/http");
const testing = require("@spillway/core/testing");
const exercise = require("./exercise.cjs");

exercise(core, http, testing);
