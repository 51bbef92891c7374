import { expect, test } from "vitest";
import { messageOf } from "../src/client/run-script.ts";

test.each<[what: string, error: unknown, text: string]>([
  ["an error", new Error("away"), "away"],
  ["what is no error", "away", "away"],
  ["nothing", undefined, "undefined"],
  ["one for several addresses", new AggregateError([new Error("no one at ::1")]), "no one at ::1"],
  ["one with a code alone", Object.assign(new Error(), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
])("tells what %s says", (_, error, text) => {
  expect(messageOf(error)).toBe(text);
});
