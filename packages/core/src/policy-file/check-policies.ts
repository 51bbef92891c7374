import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { expecting } from "../options/expecting.ts";
import type { Functions } from "./options/function-book.ts";
import { PolicyFileError, type PolicyProblem } from "./policy-file-error.ts";
import { checkPath, loadFile } from "./read-policy-file.ts";
import type { PolicyFileOptions } from "./reader-options.ts";
import { httpSchema, readerShape } from "./reader-options.ts";

/** How files are checked. */
export interface CheckPoliciesOptions extends Pick<PolicyFileOptions, "format" | "http"> {
  /** The functions that files may use, or only their names. */
  readonly functions?: Functions | readonly string[] | undefined;
}

const { functions, format } = readerShape;

const byName = z.strictObject({ functions, format, http: httpSchema });

const namedOnly = byName.extend({
  functions: z.array(expecting("the name of a function", (v) => typeof v === "string")),
});

/**
 * Checks policy files as if loading them, for a build or a test. Resolves with the problems of all files, an empty
 * array when there are none. Rejects with a `ConfigError` for invalid arguments.
 */
export async function checkPolicies(
  paths: string | URL | readonly (string | URL)[],
  given: CheckPoliciesOptions = {},
): Promise<readonly PolicyProblem[]> {
  const schema = Array.isArray(given?.functions) ? namedOnly : byName;
  const { functions = {}, ...options } = checkOptions(schema, given);
  const known = Array.isArray(functions)
    ? Object.fromEntries(functions.map((name: string) => [name, () => undefined]))
    : (functions as Functions);
  const files = [paths].flat() as (string | URL)[];
  for (const [i, path] of files.entries()) {
    checkPath(path, Array.isArray(paths) ? `paths[${i}]` : "paths");
  }
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
