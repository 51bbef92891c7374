import { ConfigError, errorText } from "../errors.ts";
import { createGuard } from "../http/guard.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { PolicySource } from "../policies/policy-source.ts";
import { noRequests } from "./no-requests.ts";
import type { Functions } from "./options/function-book.ts";
import { optionsOf } from "./options/options-of.ts";
import type { DataProblem } from "./schema/data-problem.ts";
import { dataProblems, type Reading } from "./schema/data-problems.ts";
import { plainProblems } from "./schema/plain-problems.ts";
import type { PolicyFile } from "./schema/policy-file.ts";

/** What the options are for: `rateLimit`, its option `source`, or `createLimiter`. */
export type Purpose = "http" | "source" | "limiter";

/** Validated policies, as options. */
export interface Loaded {
  readonly version: string | undefined;
  readonly options: object;
}

/**
 * Validates policies as data completely: the schema, function names, contradictions, and what the algorithms cannot
 * represent. Returns the problems if there are any.
 */
export function load(
  value: unknown,
  functions: Functions,
  purpose: Purpose,
): Loaded | readonly DataProblem[] {
  const reading = { functions: Object.keys(functions), http: purpose !== "limiter" };
  const wrong = wrongWith(value, reading);
  if (wrong.length > 0) return wrong;
  // A copy, because the result is frozen.
  const file = structuredClone(value) as PolicyFile;
  const { options, problems } = optionsOf(file, functions);
  const refused = problems.length > 0 ? problems : tried(options, purpose);
  if (refused.length > 0) return refused;
  const { version } = file;
  return { version: version === undefined ? undefined : String(version), options };
}

/**
 * Returns what is wrong with a value as data. One that satisfies the schema may still not be copyable: a proxy reads
 * like its target.
 */
function wrongWith(value: unknown, reading: Reading): readonly DataProblem[] {
  let plain: readonly DataProblem[];
  try {
    // Reads everything: accessors of the data throw here, and later errors are not theirs.
    plain = plainProblems(value);
  } catch (error) {
    const expected = "data that can be read";
    return [{ path: [], ofName: false, expected, received: errorText(error) }];
  }
  for (const wrong of [dataProblems(value, reading), plain]) if (wrong.length > 0) return wrong;
  return uncopied(value, []);
}

/** Finds the innermost parts that cannot be copied. */
function uncopied(value: unknown, path: readonly PropertyKey[]): readonly DataProblem[] {
  try {
    structuredClone(value);
    return [];
  } catch (error) {
    const parts = Object.entries(value as object).flatMap(([name, part]) =>
      uncopied(part, [...path, Array.isArray(value) ? Number(name) : name]),
    );
    if (parts.length > 0) return parts;
    return [
      { path, ofName: false, expected: "data that can be copied", received: errorText(error) },
    ];
  }
}

/** Creates a limiter that is never used, to find problems. */
function tried(options: object, purpose: Purpose): readonly DataProblem[] {
  const apart = { store: memoryStore({ maxKeys: 1 }), onWarning: () => {} };
  const source: PolicySource = { current: options, subscribe: () => () => {}, close: () => {} };
  return problemsOf(() => {
    if (purpose === "limiter") createLimiter({ ...options, ...apart } as never);
    else if (purpose === "source") createGuard(noRequests, { source, ...apart });
    else createGuard(noRequests, { ...options, ...apart } as never);
  });
}

function problemsOf(attempt: () => void): readonly DataProblem[] {
  try {
    attempt();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, ...rest }) => ({
      path: partsOf(path.replace(/^source\.?/, "")),
      ofName: false,
      ...rest,
    }));
  }
}

/** Parses a path such as `rules[1].match.path[0]`. */
function partsOf(path: string): PropertyKey[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([name, index]) =>
    index === undefined ? name : Number(index),
  );
}
