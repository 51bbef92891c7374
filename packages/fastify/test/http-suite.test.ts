import { httpSuite } from "@spillway/core/testing";
import { describe, it } from "vitest";
import { serve } from "./serve.ts";

for (const over of ["memory", "tcp", "unix"] as const) {
  describe(`Fastify over ${over}`, () => httpSuite(it, serve, { over }));
}
