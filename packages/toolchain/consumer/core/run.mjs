import * as core from "@spillway/core";
import * as http from "@spillway/core/http";
import * as policyFile from "@spillway/core/policy-file";
import * as testing from "@spillway/core/testing";

import exercise from "./exercise.cjs";

await exercise(core, http, testing, policyFile);
