import type { DataProblem } from "./data-problems.ts";
import type { UseData } from "./use-data.ts";

/** The functions of an application, by the names that policy files use. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Finds the function of a name that stands at a path. */
export type FunctionOf = (
  use: UseData,
  path: readonly PropertyKey[],
) => (...args: unknown[]) => unknown;

/** Finds functions by their names, and notes those that nobody gave. */
export function functionBook(functions: Functions): {
  readonly functionOf: FunctionOf;
  readonly problems: DataProblem[];
} {
  const problems: DataProblem[] = [];
  const names = Object.keys(functions).map((name) => JSON.stringify(name));
  return {
    problems,
    functionOf({ use }, path) {
      const found: unknown = Object.hasOwn(functions, use) ? functions[use] : undefined;
      if (typeof found === "function") return found as (...args: unknown[]) => unknown;
      const expected =
        names.length === 0
          ? "a function that was given (none was)"
          : `the name of a function that was given: ${names.join(", ")}`;
      problems.push({
        path: [...path, "use"],
        ofName: false,
        expected,
        received: JSON.stringify(use),
      });
      return () => undefined;
    },
  };
}
