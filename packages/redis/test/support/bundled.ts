import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsdown";

/** Bundles a program of this folder into one file that plain Node runs, and returns its path. */
export async function bundled(entry: URL): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "spillway-worker-"));
  await build({
    config: false,
    entry: { worker: entry.pathname },
    outDir,
    format: "esm",
    platform: "node",
    target: "node20.19",
    noExternal: [/./],
    inlineOnly: false,
    inputOptions: { resolve: { conditionNames: ["development", "import", "node", "default"] } },
    logLevel: "error",
    dts: false,
  });
  return join(outDir, "worker.mjs");
}
