import { describe, it } from "vitest";
import { httpSuite } from "../../src/testing/index.ts";
import { serveBare } from "./bare-server.ts";

for (const over of ["memory", "unix"] as const) {
  describe(`Node's own server, over ${over}`, () => httpSuite(it, serveBare, { over }));
}
