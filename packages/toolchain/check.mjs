import { existsSync } from "node:fs";
import { join } from "node:path";

import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";
import { setUp } from "./set-up.mjs";

/**
 * Sets up and checks everything: lint, types, build, packaging, unused code, every test.
 *
 * Prints a line per step with its time, goes on after a step that fails, and ends with
 * `N passed, N failed`: the tests, and one failed for each other step that failed.
 */
async function check() {
  let passed = 0;
  let failed = 0;
  /**
   * @param {string} label
   * @param {() => Promise<unknown>} work
   */
  const step = async (label, work) => {
    const began = performance.now();
    const error = await work().then(
      () => undefined,
      (reason) => reason,
    );
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${error === undefined ? "ok  " : "FAIL"}  ${label}  ${seconds} s`);
    if (error === undefined) return true;
    failed++;
    console.error(error.message);
    return false;
  };
  const tool = (/** @type {string} */ path, /** @type {string[]} */ ...args) =>
    mustRun(process.execPath, [join(root, "node_modules", path), ...args]);

  // whatever is not built in is loaded after the set-up
  if (await step("set-up", setUp)) {
    // the types keep one processor busy for as long as the three others
    const typed = step("types", async () => (await import("./types.mjs")).types());
    await step("lint", () => tool("@biomejs/biome/bin/biome", "ci", "--colors=off"));
    await step("unused", () =>
      tool("knip/bin/knip.js", "--config", "packages/toolchain/knip.json"),
    );
    const built = await step("build", async () => (await import("./build.mjs")).build());
    await typed;
    if (built) await step("packaging", async () => (await import("./packaging.mjs")).packaging());
    if (existsSync(join(root, "packages/redis/test"))) {
      await step("redis-server", async () => (await import("./redis.mjs")).redisServer());
    }
    await step("tests", async () => {
      const tally = await (await import("./tests.mjs")).tests([
        "unit",
        "core",
        "lowest",
        "graphql17",
        "types",
      ]);
      passed = tally.passed;
      // the step itself is the last one that fails
      failed += Math.max(0, tally.failed - 1);
      if (tally.failed > 0) throw new Error(`${tally.failed} of the tests failed`);
    });
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await check();
