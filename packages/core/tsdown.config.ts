import { readdir, readFile, writeFile } from "node:fs/promises";
import { defineConfig, type UserConfig } from "tsdown";

/** Drops the import of zod from declarations that do not use it: their schemas are internal. */
async function withoutZod(): Promise<void> {
  for (const name of await readdir("dist")) {
    if (!/\.d\.[cm]ts$/.test(name)) continue;
    const path = `dist/${name}`;
    const text = await readFile(path, "utf8");
    const without = text.replace(/^import \{ z \} from "zod";\n/m, "");
    if (without !== text && !/\bz\./.test(without)) await writeFile(path, without);
  }
}

const config: UserConfig = defineConfig({
  entry: {
    index: "src/index.ts",
    graphql: "src/graphql/index.ts",
    http: "src/http/index.ts",
    "policy-file": "src/policy-file/index.ts",
    testing: "src/testing/index.ts",
  },
  format: ["esm", "cjs"],
  platform: "node",
  target: "node20.19",
  dts: true,
  onSuccess: withoutZod,
  outputOptions: {
    // left alone, rolldown puts its helpers into one entry, and every other one then loads that entry
    codeSplitting: { groups: [{ name: "interop", test: /rolldown.runtime/ }] },
    // runners such as Jest have no import() in CommonJS
    dynamicImportInCjs: false,
  },
});

export default config;
