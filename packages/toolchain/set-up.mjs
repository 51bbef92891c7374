import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";

/**
 * Installs exactly what the lock file says; needs Node and npm, and nothing else.
 *
 * Rejects where the lock file and a manifest disagree, or nothing can be fetched.
 */
export async function setUp() {
  await pnpm(["install", "--frozen-lockfile"]);
}

/**
 * Runs the pnpm that `packageManager` of the root manifest names, brought by npm.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<string>} what it printed
 */
export function pnpm(args, options) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return npm(["exec", "--yes", `--package=${manifest.packageManager}`, "--", "pnpm", ...args], {
    ...options,
    // pnpm asks before it removes a folder of modules, and without CI it waits for an answer
    env: { CI: "true" },
  });
}

/**
 * Runs the npm that belongs to the running Node.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} what it printed
 */
export function npm(args, options) {
  const script = process.env.npm_execpath;
  // npm sets this for the scripts it runs; other package managers set it to themselves
  if (script !== undefined && /npm-cli\.[cm]?js$/.test(script)) {
    return mustRun(process.execPath, [script, ...args], options);
  }
  return mustRun(process.platform === "win32" ? "npm.cmd" : "npm", args, options);
}
