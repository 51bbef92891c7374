import type { z } from "zod";
import { received } from "../../errors.ts";
import { dialectParts, headerParts } from "../../http/headers/header-dialect-schema.ts";
import { meantHint } from "../../options/or-meant.ts";
import { valueAt } from "../../options/value-at.ts";
import type { DataProblem } from "./data-problem.ts";
import { noOptions } from "./no-options.ts";
import { schemaOf } from "./policy-file.ts";
import { type ToldOfName, unknownName } from "./unknown-name.ts";

/** The context of policies that affects problems. */
export interface Reading {
  /** The names of the given functions. */
  readonly functions: readonly string[];
  readonly http: boolean;
}

/** Returns everything that violates the schema of policy files. */
export function dataProblems(value: unknown, reading: Reading): readonly DataProblem[] {
  const other = noOptions(value);
  if (other) return [other];
  const result = schemaOf(value).safeParse(value);
  if (result.success) return [];
  const all = result.error.issues.flatMap((issue) => explain(issue, [], { value, ...reading }));
  const known = new Map(all.map((one) => [JSON.stringify([one.path, one.expected]), one]));
  return withoutExplained([...known.values()], value);
}

/** A problem, with the intended name for an unknown one. */
type Found = DataProblem & ToldOfName;

/** Drops problems about parts that are missing only because another name was used. */
function withoutExplained(problems: readonly Found[], value: unknown): DataProblem[] {
  const meant = new Set(
    problems.flatMap(({ path, meant }) =>
      meant ? [JSON.stringify([...path.slice(0, -1), meant])] : [],
    ),
  );
  return problems
    .filter(({ path }) => !(meant.has(JSON.stringify(path)) && valueAt(value, path) === undefined))
    .map(({ meant: _, ...problem }) => problem);
}

type Issue = z.core.$ZodIssue;

interface Whole extends Reading {
  readonly value: unknown;
}

function explain(issue: Issue, above: readonly PropertyKey[], whole: Whole): readonly Found[] {
  const path = [...above, ...issue.path];
  const { value, functions } = whole;
  if (issue.code === "unrecognized_keys") {
    const known = namesOf(issue, path);
    return issue.keys.map((name) => ({
      path: [...path, name],
      ofName: true,
      ...unknownName(name, { known, path, ...whole }),
      received: `${received(valueAt(value, [...path, name]))} under this name`,
    }));
  }
  if (issue.code === "invalid_union") {
    const meant = branchMeant(issue.errors, valueAt(value, path), path);
    if (meant) return meant.flatMap((inner) => explain(inner, path, whole));
  }
  const given = valueAt(value, path);
  const said = textOf(issue);
  // A function's name where the function was meant.
  const use =
    typeof given === "string" && functions.includes(given) && path.at(-1) !== "use"
      ? ` (did you mean { use: ${received(given)} }?)`
      : "";
  const expected = use === "" || said.includes(use) ? said : said.replace(/ \([^()]*\)$/, "") + use;
  return [{ path, ofName: false, expected, received: received(given) }];
}

/**
 * Returns the issues of the union branch that a value was meant for: among those that fit as a whole, the one with the
 * fewest errors.
 */
function branchMeant(
  branches: readonly (readonly Issue[])[],
  value: unknown,
  path: readonly PropertyKey[],
): readonly Issue[] | undefined {
  const possible = branches
    .flatMap(unnested)
    .filter((issues) => issues.length > 0 && issues.every(isWithin))
    .filter((issues) => issues.every((one) => hasSome(one, value, path)))
    .map((issues) => ({ issues, wrong: issues.reduce((sum, one) => sum + weight(one, value), 0) }))
    .sort((a, b) => a.wrong - b.wrong);
  const [best, next] = possible;
  return best && best.wrong !== next?.wrong ? best.issues : undefined;
}

/** Flattens a union within a union to its branches. */
function unnested(issues: readonly Issue[]): readonly (readonly Issue[])[] {
  const [only, ...others] = issues;
  if (only?.code !== "invalid_union" || only.path.length > 0 || others.length > 0) return [issues];
  return only.errors.flatMap(unnested);
}

/** An issue with the value as a whole means that the branch was not meant. */
function isWithin(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === "unrecognized_keys";
}

/** An object without any known or misspelt name was not meant for the branch. */
function hasSome(issue: Issue, value: unknown, path: readonly PropertyKey[]): boolean {
  if (issue.code !== "unrecognized_keys" || issue.path.length > 0) return true;
  if (issue.keys.length < Object.keys(value as object).length) return true;
  const known = namesOf(issue, path);
  return issue.keys.some((name) => meantHint(name, known) !== "");
}

function weight(issue: Issue, value: unknown): number {
  if (issue.code === "unrecognized_keys") return issue.keys.length * 2;
  // A missing part counts more against a branch than an invalid one.
  return valueAt(value, issue.path) === undefined ? 2 : 1;
}

function textOf(issue: Issue): string {
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input")) {
    const { expected } = issue;
    return expected === "object" || expected === "record" ? "an object" : `a ${expected}`;
  }
  return issue.message;
}

/**
 * Returns the names allowed where an issue found others: schemas of files list them; a dialect's schema is that of
 * code.
 */
function namesOf(issue: Issue, path: readonly PropertyKey[]): readonly string[] {
  if (!issue.message.startsWith("Unrecognized key")) return issue.message.split(",");
  const within = path.slice(path.indexOf("headers") + 1);
  return within.filter((part) => typeof part === "string").length === 0
    ? dialectParts
    : headerParts;
}
