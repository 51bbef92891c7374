import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { policyFile } from "./policy-file.ts";

const published = new URL("../../../policy-file.schema.json", import.meta.url);

/** What editors read about policy files. */
const made = z.toJSONSchema(policyFile, { io: "input", unrepresentable: "any" });

// UPDATE_SCHEMA=1 rewrites it.
it("publishes the JSON Schema that the schema of the code makes", () => {
  const text = JSON.stringify(made, undefined, 2);
  if (process.env.UPDATE_SCHEMA) writeFileSync(published, `${text}\n`);
  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(JSON.parse(text));
});
