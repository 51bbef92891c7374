import { describe, expect, it } from "vitest";
import { parsePolicies } from "../index.ts";
import { readYaml } from "./yaml-text.ts";

const failing = (code: string | undefined, message: string): Error =>
  Object.assign(new Error(message), { code });
const missing = "the package yaml to be installed, for files in YAML (npm install yaml)";
const broken = "the package yaml to load, for files in YAML";

describe("the package yaml", () => {
  it.each([
    ["ERR_MODULE_NOT_FOUND", "Cannot find package 'yaml' imported from /app/a.js", missing],
    ["MODULE_NOT_FOUND", "Cannot find module 'yaml'", missing],
    ["ERR_MODULE_NOT_FOUND", "Cannot find package 'zlib2' imported from /app/yaml.js", broken],
    ["ERR_MODULE_NOT_FOUND", "Cannot find module '/app/node_modules/yaml/a.js'", broken],
    ["ERR_PACKAGE_PATH_NOT_EXPORTED", 'No "exports" main defined', broken],
    [undefined, "Unexpected token", broken],
  ])("that does not load with %s, %s, is told of as it is", async (code, message, expected) => {
    const cause = failing(code, message);
    const received = expected === missing ? "none" : `Error: ${message}`;
    expect(await readYaml("limit: 1", () => Promise.reject(cause))).toEqual([
      { line: 1, column: 1, expected, received, cause },
    ]);
  });
});

it("keeps what the package threw as the cause, and out of the problems", async () => {
  const error = await parsePolicies("limit: *none\n", { format: "yaml" }).catch((e: unknown) => e);
  expect(error).toMatchObject({ cause: expect.any(ReferenceError) });
  expect(Object.keys((error as { problems: object[] }).problems[0]!)).not.toContain("cause");
});
