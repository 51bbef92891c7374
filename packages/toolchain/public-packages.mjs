import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./root.mjs";

/**
 * Lists the packages that are published, by folder name; one without a source yet is left out.
 *
 * @returns {{ name: string; folder: string; manifest: Record<string, any> }[]}
 */
export function publicPackages() {
  return readdirSync(join(root, "packages"))
    .sort()
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return { name: manifest.name, folder, manifest };
    })
    .filter(
      ({ folder, manifest }) => !manifest.private && existsSync(join(folder, "src/index.ts")),
    );
}
