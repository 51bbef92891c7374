import { describe, it } from "vitest";
import { httpSuite, type Serve } from "../../src/testing/index.ts";
import { serveBare } from "./bare-server.ts";

describe("a server that cannot be told whom to trust", () => {
  const serve: Serve = ({ trust, ...app }) => {
    if (trust !== undefined) throw new Error(`was asked to trust ${trust}`);
    return serveBare({ trust, ...app });
  };
  httpSuite(it, serve, { hasTrust: false });
});

for (const over of ["memory", "unix"] as const) {
  describe(`Node's own server, over ${over}`, () => httpSuite(it, serveBare, { over }));
}
