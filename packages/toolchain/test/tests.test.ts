import { expect, it } from "vitest";

import { count } from "../tests.mjs";

const passing = { status: "passed", assertionResults: [{ status: "passed" }] };
const failing = { status: "failed", assertionResults: [{ status: "failed" }] };
const unloadable = { status: "failed", assertionResults: [] };

it.each([
  ["all pass", 0, { numPassedTests: 3, testResults: [passing] }, { passed: 3, failed: 0 }],
  [
    "one fails",
    1,
    { numPassedTests: 2, numFailedTests: 1, testResults: [passing, failing] },
    { passed: 2, failed: 1 },
  ],
  [
    "a file does not load",
    1,
    { numPassedTests: 2, numFailedTests: 1, testResults: [failing, unloadable] },
    { passed: 2, failed: 2 },
  ],
  [
    "the run fails by itself",
    1,
    { numPassedTests: 2, testResults: [passing] },
    { passed: 2, failed: 1 },
  ],
  ["the run dies before its report", 137, {}, { passed: 0, failed: 1 }],
])("counts when %s", (_, code, report, expected) => {
  expect(count(code, report)).toEqual(expected);
});
