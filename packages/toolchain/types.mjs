import { join } from "node:path";

import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";

/** Checks every type in the repository with both compilers that it supports. */
export async function types() {
  for (const compiler of ["typescript", "typescript7"]) {
    for (const project of ["tsconfig.workspace.json", "tsconfig.json"]) {
      await mustRun(process.execPath, [
        join(root, "node_modules", compiler, "bin/tsc"),
        "--project",
        join(import.meta.dirname, project),
      ]);
    }
  }
}

if (process.argv[1] === import.meta.filename) await types();
