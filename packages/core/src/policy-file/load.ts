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

/** Policies that were checked: their data, and the options that it stands for. */
export interface Loaded {
  readonly version: string | undefined;
  readonly options: object;
}

/**
 * Checks policies as data to the end: the schema, the names of functions, what contradicts each other, and what the
 * algorithms cannot keep. Answers the problems where there are any.
 */
export function load(
  value: unknown,
  functions: Functions,
  purpose: Purpose,
): Loaded | readonly DataProblem[] {
  const reading = { functions: Object.keys(functions), http: purpose !== "limiter" };
  const wrong = wrongWith(value, reading);
  if (wrong.length > 0) return wrong;
  // its own copy: what is handed on is frozen
  const file = structuredClone(value) as PolicyFile;
  const { options, problems } = optionsOf(file, functions);
  const refused = problems.length > 0 ? problems : tried(options, purpose);
  if (refused.length > 0) return refused;
  const { version } = file;
  return { version: version === undefined ? undefined : String(version), options };
}

/** What is data to a schema may be more than that: a proxy is read like what it stands for, and cannot be copied. */
function wrongWith(value: unknown, reading: Reading): readonly DataProblem[] {
  let plain: readonly DataProblem[];
  try {
    // reads all of it: what its accessors throw is its own, and what is thrown later is not
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

/** Makes a limiter of them, which nobody will ask. */
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

/** Reads a path such as `rules[1].match.path[0]` as its parts. */
function partsOf(path: string): PropertyKey[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([name, index]) =>
    index === undefined ? name : Number(index),
  );
}
