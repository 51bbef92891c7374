import * as core from "@spillway/core";
import * as http from "@spillway/core/http";
import * as policyFile from "@spillway/core/policy-file";
import * as testing from "@spillway/core/testing";

import costQueries from "./cost-queries.cjs";
import exercise from "./exercise.cjs";

await exercise(core, http, testing, policyFile);
await costQueries(() => import("@spillway/core/graphql"));
