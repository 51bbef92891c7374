import { orMeant } from "../../options/or-meant.ts";
import type { DataProblem } from "../schema/data-problem.ts";
import type { FunctionData } from "../schema/function-data.ts";

/** The functions of an application, by the names that policy files use. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Returns the function for a name used at a path. */
export type FunctionOf = (
  use: FunctionData,
  path: readonly PropertyKey[],
) => (...args: unknown[]) => unknown;

/** Looks up functions by name, and collects those that are missing as problems. */
export function functionBook(functions: Functions): {
  readonly functionOf: FunctionOf;
  readonly problems: DataProblem[];
} {
  const problems: DataProblem[] = [];
  const names = Object.keys(functions);
  const quoted = names.map((name) => JSON.stringify(name)).join(", ");
  return {
    problems,
    functionOf({ use }, path) {
      const found: unknown = Object.hasOwn(functions, use) ? functions[use] : undefined;
      if (typeof found === "function") return found as (...args: unknown[]) => unknown;
      const expected =
        names.length === 0
          ? `a function that was given (none was): ${given(use)}`
          : orMeant(
              `the name of a function that was given, as ${given(use)}: ${quoted}`,
              names,
            )({
              input: use,
            });
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

/** Shows how to pass a function of this name. */
function given(name: string): string {
  return `functions: { ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: (req) => … }`;
}
