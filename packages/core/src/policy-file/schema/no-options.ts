import { isPromise } from "../../awaitable.ts";
import { received } from "../../errors.ts";
import { isPath } from "../text/policy-text.ts";
import type { DataProblem } from "./data-problem.ts";

/**
 * Returns the problem of a value that is not options at all, such as a list, or that must be parsed first; undefined
 * for an object.
 */
export function noOptions(value: unknown): DataProblem | undefined {
  if (isOptions(value)) return undefined;
  const expected = `an object of options, such as { limit: 100, window: "1m" }${unreadHint(value)}`;
  return { path: [], ofName: false, expected, received: received(value) };
}

function isOptions(value: unknown): boolean {
  if (typeof value !== "object" || value === null || isPromise(value)) return false;
  return !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function unreadHint(value: unknown): string {
  if (Array.isArray(value)) {
    return " (a list of them stands under policies, or under rules beside matching)";
  }
  if (typeof value === "string" && isPath(value)) return " (readPolicyFile reads a file)";
  const isText = ArrayBuffer.isView(value) || (typeof value === "string" && /[:{]/.test(value));
  return isText ? " (parsePolicies reads a string)" : "";
}
