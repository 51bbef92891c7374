import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { root } from "./root.mjs";
import { run } from "./run.mjs";

/** Sets up, builds, and serves the quick start in the foreground until a signal ends it. */
async function start() {
  const { setUp } = await import("./set-up.mjs");
  await step("Installing exactly what the lock file says", setUp);
  const { build } = await import("./build.mjs");
  await step("Building the packages", build);

  const example = join(root, "examples/quickstart");
  const manifest = JSON.parse(readFileSync(join(example, "package.json"), "utf8"));
  const command = manifest.scripts.start;
  const path = [join(example, "node_modules/.bin"), process.env.PATH].join(delimiter);
  // exec puts the server in the shell's place, so that signals and the exit code are its own
  const line = process.platform === "win32" ? command : `exec ${command}`;
  const { code } = await run(line, [], {
    cwd: example,
    env: { PATH: path },
    show: true,
    shell: true,
  });
  process.exitCode = code;
}

/**
 * @param {string} label
 * @param {() => Promise<void>} work
 */
async function step(label, work) {
  process.stdout.write(`${label} ... `);
  const began = performance.now();
  await work();
  console.log(`${((performance.now() - began) / 1000).toFixed(1)} s`);
}

await start().catch((error) => {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
});
