import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { root } from "./root.mjs";
import { run } from "./run.mjs";

/**
 * Runs the tests of the named projects with one Node, and counts them.
 *
 * A file that does not load, and a run that breaks off, count as failed.
 *
 * @param {readonly string[]} projects
 * @param {string} [node] the program of Node that runs them
 * @returns {Promise<{ passed: number; failed: number }>}
 */
export async function tests(projects, node = process.execPath) {
  const folder = await mkdtemp(join(tmpdir(), "spillway-tests-"));
  const report = join(folder, "report.json");
  try {
    const { code } = await run(
      node,
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--config=vitest.workspace.ts",
        ...projects.map((project) => `--project=${project}`),
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
      ],
      // a test that runs "node" must get the same one
      { env: { PATH: [dirname(node), process.env.PATH].join(delimiter) }, show: true },
    );
    return count(code, JSON.parse(await readFile(report, "utf8").catch(() => "{}")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Sums vitest's report.
 *
 * @param {number} code the exit code of the run
 * @param {{ numPassedTests?: number; numFailedTests?: number; testResults?: { status: string; assertionResults: { status: string }[] }[] }} report
 * @returns {{ passed: number; failed: number }}
 */
export function count(code, { numPassedTests = 0, numFailedTests = 0, testResults = [] }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((each) => each.status !== "failed"),
  );
  const failed = numFailedTests + broken.length;
  return { passed: numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
}
