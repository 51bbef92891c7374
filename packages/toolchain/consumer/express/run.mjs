import * as adapter from "@spillway/express";
import exercise from "./exercise.cjs";

await exercise(adapter);
