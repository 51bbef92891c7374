import * as core from "@spillway/core";
import * as redis from "@spillway/redis";
import exercise from "./exercise.cjs";

await exercise(redis, core);
