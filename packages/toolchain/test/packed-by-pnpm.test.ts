import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { publicPackages } from "../public-packages.mjs";

const guard = join(import.meta.dirname, "../packed-by-pnpm.mjs");

it.each([
  ["npm/11.6.2 node/v24.21.0 linux x64", 1],
  ["yarn/4.9.1 npm/? node/v24.21.0 linux x64", 1],
  [undefined, 1],
  ["pnpm/12.4.2 npm/? node/v24.21.0 linux x64", 0],
])("lets only pnpm pack: %s", (npm_config_user_agent, status) => {
  const env = { PATH: process.env.PATH, npm_config_user_agent };
  const told = spawnSync(process.execPath, [guard], { env, encoding: "utf8" });
  expect(told.status).toBe(status);
  expect(told.stderr.includes("npm run pack <folder>")).toBe(status === 1);
});

it("is asked before each published package is packed", () => {
  for (const { folder } of publicPackages()) {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(scripts.prepack, folder).toBe("node ../toolchain/packed-by-pnpm.mjs");
  }
});
