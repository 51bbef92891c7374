import * as adapter from "@spillway/koa";
import exercise from "./exercise.cjs";

await exercise(adapter);
