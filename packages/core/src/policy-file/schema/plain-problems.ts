import { received } from "../../errors.ts";
import type { DataProblem } from "./data-problem.ts";

/** Maximum nesting of a value: policies need less, and deeper ones may overflow the stack. */
export const deepest = 100;

/**
 * Finds what schemas ignore: within parts that accept any value, what text cannot express (functions, bigints,
 * symbols), cycles and deep nesting; and the name `__proto__` anywhere.
 */
export function plainProblems(value: unknown): readonly DataProblem[] {
  const problems: DataProblem[] = [];
  const done = new Set<object>();

  function walk(inner: unknown, path: readonly PropertyKey[]): void {
    if (typeof inner === "function" || typeof inner === "bigint" || typeof inner === "symbol") {
      problems.push({ path, ofName: false, expected: "data", received: received(inner) });
      return;
    }
    if (typeof inner !== "object" || inner === null || done.has(inner)) return;
    if (path.length > deepest) {
      const [expected, received] = [`at most ${deepest} levels`, "more, or what contains itself"];
      problems.push({ path: path.slice(0, 4), ofName: false, expected, received });
      return;
    }
    for (const [name, part] of Object.entries(inner)) {
      const at = [...path, Array.isArray(inner) ? Number(name) : name];
      if (name === "__proto__") {
        problems.push({ path: at, ofName: true, expected: "another name", received: "this one" });
      } else walk(part, at);
    }
    done.add(inner);
  }

  walk(value, []);
  return problems;
}
