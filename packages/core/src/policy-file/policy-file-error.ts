import type { ConfigIssue } from "../errors.ts";

/** One problem of a policy file. */
export interface PolicyProblem extends ConfigIssue {
  /** The file's name; undefined for policies without a name. */
  readonly file: string | undefined;
  /** From 1; undefined if the policies were not text. */
  readonly line: number | undefined;
  /** From 1; undefined if the policies were not text. */
  readonly column: number | undefined;
}

/**
 * Lists all problems of a policy file, each with its place. Recognize it by `code`, which works across copies of the
 * package.
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

/** Formats one problem as compilers do: `policies.yaml:3:12: limit: expected …, received …`. */
export function problemText(problem: PolicyProblem): string {
  const { file, line, column, path, expected, received } = problem;
  const place = line === undefined ? (file ?? "") : `${file ?? "policies"}:${line}:${column}`;
  const told = `${path === "" ? "" : `${path}: `}expected ${expected}, received ${received}`;
  return place === "" ? told : `${place}: ${told}`;
}
