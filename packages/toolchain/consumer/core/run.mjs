import * as core from "@spillway/core";
import * as http from "@spillway/core/http";
import * as testing from "@spillway/core/testing";

import exercise from "./exercise.cjs";

await exercise(core, http, testing);
