import byDefault, { rateLimit } from "@spillway/fastify";
import exercise from "./exercise.cjs";

await exercise(rateLimit, byDefault);
