import type { Functions } from "./function-book.ts";
import type { PolicyFileOptions } from "./parse-policies.ts";
import { PolicyFileError, type PolicyProblem } from "./policy-file-error.ts";
import { loadFile } from "./read-policy-file.ts";

/** What to check files against. */
export interface CheckPoliciesOptions extends Pick<PolicyFileOptions, "format" | "http"> {
  /** The functions that files may name, or only their names. */
  readonly functions?: Functions | readonly string[] | undefined;
}

/**
 * Checks policy files as they would be loaded, for a build or a test. Answers all that is wrong with all of them,
 * an empty list where nothing is.
 */
export async function checkPolicies(
  paths: string | URL | readonly (string | URL)[],
  { functions = {}, ...options }: CheckPoliciesOptions = {},
): Promise<readonly PolicyProblem[]> {
  const known = Array.isArray(functions)
    ? Object.fromEntries(functions.map((name: string) => [name, () => undefined]))
    : (functions as Functions);
  const files = [paths].flat() as (string | URL)[];
  const each = await Promise.all(
    files.map(async (path): Promise<readonly PolicyProblem[]> => {
      try {
        await loadFile(path, { ...options, functions: known });
        return [];
      } catch (error) {
        if (error instanceof PolicyFileError) return error.problems;
        throw error;
      }
    }),
  );
  return each.flat();
}
