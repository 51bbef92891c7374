import { httpSuite } from "@spillway/core/testing";
import { describe, it } from "vitest";
import { majors } from "./majors.ts";
import { serveBy } from "./serve.ts";

for (const { name, Koa } of majors) {
  for (const over of ["memory", "tcp", "unix"] as const) {
    describe(`${name} over ${over}`, () => httpSuite(it, serveBy(Koa), { over }));
  }
}
