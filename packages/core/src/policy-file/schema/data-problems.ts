import type { z } from "zod";
import { received } from "../../errors.ts";
import { nearest } from "../../options/nearest.ts";
import { valueAt } from "../../options/value-at.ts";
import type { DataProblem } from "./data-problem.ts";
import { optionNames, schemaOf } from "./policy-file.ts";

/** Finds all that does not fit the schema of policy files. */
export function dataProblems(value: unknown): readonly DataProblem[] {
  const result = schemaOf(value).safeParse(value);
  if (result.success) return [];
  const all = result.error.issues.flatMap((issue) => explain(issue, [], value));
  return [...new Map(all.map((one) => [JSON.stringify([one.path, one.expected]), one])).values()];
}

type Issue = z.core.$ZodIssue;

function explain(
  issue: Issue,
  above: readonly PropertyKey[],
  value: unknown,
): readonly DataProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => ({
      path: [...path, name],
      ofName: true,
      expected: `a known option${hint(name, path, value)}`,
      received: `${received(valueAt(value, [...path, name]))} under this name`,
    }));
  }
  if (issue.code === "invalid_union") {
    const meant = branchMeant(issue.errors, valueAt(value, path));
    if (meant) return meant.flatMap((inner) => explain(inner, path, value));
  }
  const expected = textOf(issue);
  return [{ path, ofName: false, expected, received: received(valueAt(value, path)) }];
}

/** The branch of a union that a value means to be: of those that fit as a whole, the one with the least amiss. */
function branchMeant(
  branches: readonly (readonly Issue[])[],
  value: unknown,
): readonly Issue[] | undefined {
  const possible = branches
    .flatMap(unnested)
    .filter((issues) => issues.length > 0 && issues.every(isWithin))
    .map((issues) => ({ issues, wrong: issues.reduce((sum, one) => sum + weight(one, value), 0) }))
    .sort((a, b) => a.wrong - b.wrong);
  const [best, next] = possible;
  return best && best.wrong !== next?.wrong ? best.issues : undefined;
}

/** A union within a union is so many branches more. */
function unnested(issues: readonly Issue[]): readonly (readonly Issue[])[] {
  const [only, ...others] = issues;
  if (only?.code !== "invalid_union" || only.path.length > 0 || others.length > 0) return [issues];
  return only.errors.flatMap(unnested);
}

/** What is amiss with the whole is no branch that was meant. */
function isWithin(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === "unrecognized_keys";
}

function weight(issue: Issue, value: unknown): number {
  if (issue.code === "unrecognized_keys") return issue.keys.length * 2;
  // what is missing says more against a branch than what is there and wrong
  return valueAt(value, issue.path) === undefined ? 2 : 1;
}

function textOf(issue: Issue): string {
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input")) {
    const { expected } = issue;
    return expected === "object" || expected === "record" ? "an object" : `a ${expected}`;
  }
  return issue.message;
}

function hint(name: string, path: readonly PropertyKey[], value: unknown): string {
  const part = path.filter((one) => typeof one === "string").join(".");
  const known = optionNames[part] ?? [];
  const list = ["rules", "policies"].find((one) => one in (value as object));
  if (part === "" && list !== undefined && known.includes(name)) {
    return ` here (it stands in each of ${list})`;
  }
  if (known.includes(name)) return " here";
  if (part in optionNames && optionNames[""]!.includes(name)) {
    return ` here (it stands beside ${String(path[0])})`;
  }
  const meant = nearest(name, known);
  return meant === "" ? "" : ` (did you mean ${meant}?)`;
}
