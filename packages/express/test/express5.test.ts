import { httpSuite } from "@spillway/core/testing";
import express from "express";
import { describe, it } from "vitest";
import { serveBy } from "./serve.ts";

for (const over of ["memory", "tcp", "unix"] as const) {
  describe(`Express 5 over ${over}`, () => httpSuite(it, serveBy(express), { over }));
}
