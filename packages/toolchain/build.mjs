import { join } from "node:path";

import { inTurns } from "./in-turns.mjs";
import { publicPackages } from "./public-packages.mjs";
import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";
import { setUp } from "./set-up.mjs";

/** Builds `dist` of every published package: ES modules, CommonJS, and declarations for both. */
export async function build() {
  const tsdown = join(root, "node_modules/tsdown/dist/run.mjs");
  // no build reads what another one wrote: declarations come from the syntax alone
  await inTurns(publicPackages(), async ({ folder }) => {
    await mustRun(process.execPath, [tsdown, "--logLevel", "warn"], { cwd: folder });
  });
}

if (process.argv[1] === import.meta.filename) {
  await setUp();
  await build();
}
