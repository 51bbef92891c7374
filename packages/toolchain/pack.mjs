import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";

import { inTurns } from "./in-turns.mjs";
import { publicPackages } from "./public-packages.mjs";
import { pnpm, setUp } from "./set-up.mjs";

/**
 * Packs what was built of every published package into a folder, as it would be published.
 *
 * @param {string} folder
 * @returns {Promise<Map<string, string>>} the tarball of each package, by the package's folder name
 */
export async function pack(folder) {
  await mkdir(folder, { recursive: true });
  await inTurns(publicPackages(), async ({ folder: cwd }) => {
    await pnpm(["pack", "--pack-destination", folder], { cwd });
  });
  return new Map(publicPackages().map(({ name, folder: own }) => [name, tarballOf(own, folder)]));
}

/**
 * @param {string} own the folder of a package
 * @param {string} folder
 */
function tarballOf(own, folder) {
  const { name, version } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  return join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

/** Sets up, builds and packs into the folder of the command line. */
async function main() {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Say where to: npm run pack <folder>");
  // where npm was called, which runs scripts in the root
  const into = resolve(process.env.INIT_CWD ?? ".", folder);
  await setUp();
  // whatever is not built in is loaded after the set-up
  const { build } = await import("./build.mjs");
  await build();
  for (const tarball of (await pack(into)).values()) console.log(tarball);
}

if (process.argv[1] === import.meta.filename) {
  await main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
