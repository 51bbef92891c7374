import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./root.mjs";

/**
 * Lists the packages that are published, by folder name; one without a source yet is left out.
 *
 * @returns {{ name: string; folder: string }[]}
 */
export function publicPackages() {
  return readdirSync(join(root, "packages"))
    .sort()
    .map((name) => ({ name, folder: join(root, "packages", name) }))
    .filter(({ folder }) => existsSync(join(folder, "src/index.ts")) && !isPrivate(folder));
}

/** @param {string} folder */
function isPrivate(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).private === true;
}
