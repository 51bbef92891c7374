import { availableParallelism } from "node:os";
import { join } from "node:path";

import { publicPackages } from "./public-packages.mjs";
import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";

/** Builds `dist` of every published package: ES modules, CommonJS, and declarations for both. */
export async function build() {
  const tsdown = join(root, "node_modules/tsdown/dist/run.mjs");
  const waiting = publicPackages();
  // no build reads what another one wrote: declarations come from the syntax alone
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await mustRun(process.execPath, [tsdown, "--logLevel", "warn"], { cwd: next.folder });
    }
  });
  await Promise.all(workers);
}

if (process.argv[1] === import.meta.filename) await build();
