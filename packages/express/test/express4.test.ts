import { httpSuite } from "@spillway/core/testing";
import express from "express4";
import { describe, it } from "vitest";
import { serveBy } from "./serve.ts";

for (const over of ["memory", "tcp", "unix"] as const) {
  describe(`Express 4 over ${over}`, () => httpSuite(it, serveBy(express as never), { over }));
}
