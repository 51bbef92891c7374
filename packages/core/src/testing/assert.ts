import strict from "node:assert/strict";

type Used = "deepEqual" | "doesNotMatch" | "equal" | "fail" | "match" | "notDeepEqual" | "ok";

/**
 * What the suites use of `node:assert/strict`. Its `deepEqual` compares data alone, whatever realm it comes from: Jest
 * gives tests a realm of their own, in which Node's objects have other prototypes.
 */
export const assert: Pick<typeof strict, Used> = {
  deepEqual(actual, expected, message) {
    strict.deepEqual(structuredClone(actual), structuredClone(expected), message as string);
  },
  doesNotMatch: strict.doesNotMatch,
  equal: strict.equal,
  fail: strict.fail,
  match: strict.match,
  notDeepEqual: strict.notDeepEqual,
  ok: strict.ok,
};
