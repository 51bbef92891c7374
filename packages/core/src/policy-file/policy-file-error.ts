import type { ConfigIssue } from "../errors.ts";

/** One thing that is wrong with a policy file. */
export interface PolicyProblem extends ConfigIssue {
  /** What the file is called; undefined for policies that came without a name. */
  readonly file: string | undefined;
  /** From 1; undefined where the policies did not come as text. */
  readonly line: number | undefined;
  /** From 1. */
  readonly column: number | undefined;
}

/**
 * Says all that is wrong with a policy file, each problem with its place. Tell it apart by `code`, which works across
 * copies of the package.
 */
export class PolicyFileError extends Error {
  override readonly name = "PolicyFileError";
  readonly code = "ERR_INVALID_POLICY_FILE";
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[], cause?: unknown) {
    super(problems.map(problemText).join("\n"), cause === undefined ? undefined : { cause });
    this.problems = problems;
  }
}

/** Tells one problem in a line, as compilers do: `policies.yaml:3:12: limit: expected …, received …`. */
export function problemText(problem: PolicyProblem): string {
  const { file, line, column, path, expected, received } = problem;
  const place = line === undefined ? (file ?? "") : `${file ?? "policies"}:${line}:${column}`;
  const told = `${path === "" ? "" : `${path}: `}expected ${expected}, received ${received}`;
  return place === "" ? told : `${place}: ${told}`;
}
