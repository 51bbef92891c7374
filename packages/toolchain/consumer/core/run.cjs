const core = require("@spillway/core");
const http = require("@spillway/core/http");
const policyFile = require("@spillway/core/policy-file");
const testing = require("@spillway/core/testing");
const costQueries = require("./cost-queries.cjs");
const exercise = require("./exercise.cjs");

exercise(core, http, testing, policyFile);
costQueries(async () => require("@spillway/core/graphql"));
