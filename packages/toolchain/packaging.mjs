import { readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { publicPackages } from "./public-packages.mjs";
import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";
import { npm, pnpm } from "./set-up.mjs";

/** What an application installs beside the packages, and whose copy says the version. */
const company = {
  "@types/express": "express",
  "@types/koa": "koa",
  "@types/node": "../..",
  express: "express",
  fastify: "fastify",
  ioredis: "redis",
  koa: "koa",
};

/**
 * Packs every published package as it would be published, and uses the tarballs as a stranger does.
 *
 * publint and attw read each tarball; then an application in a temporary folder installs them all,
 * imports and requires each, refuses real requests, and is type checked with every way of resolving
 * modules. Needs what `build` made. Rejects with the first check that fails.
 *
 * @param {readonly string[]} [nodes] programs of Node that run the application
 */
export async function packaging(nodes = [process.execPath]) {
  const folder = await mkdtemp(join(tmpdir(), "spillway-packaging-"));
  try {
    const tarballs = await pack(folder);
    await Promise.all([lint(tarballs), checkResolution(tarballs)]);
    const application = await install(folder, tarballs);
    for (const node of nodes) {
      await mustRun(node, ["run.mjs"], { cwd: application });
      await mustRun(node, ["run.cjs"], { cwd: application });
    }
    await checkTypes(application);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @returns {Promise<Map<string, string>>} the tarball of each package name
 */
async function pack(folder) {
  const tarballs = new Map();
  for (const { name, folder: cwd } of publicPackages()) {
    const into = join(folder, name.replace("/", "-"));
    await mkdir(into);
    await pnpm(["pack", "--pack-destination", into], { cwd });
    for (const file of await readdir(into)) tarballs.set(name, join(into, file));
  }
  return tarballs;
}

/** @param {Map<string, string>} tarballs */
async function lint(tarballs) {
  for (const [name, tarball] of tarballs) {
    const bytes = readFileSync(tarball);
    const { messages, pkg } = await publint({
      strict: true,
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    });
    if (messages.length > 0) {
      const texts = messages.map((message) => formatMessage(message, pkg, { color: false }));
      throw new Error(`publint on ${name}\n${texts.join("\n")}`);
    }
  }
}

/** @param {Map<string, string>} tarballs */
async function checkResolution(tarballs) {
  const attw = join(import.meta.dirname, "node_modules/@arethetypeswrong/cli/dist/index.js");
  for (const tarball of tarballs.values()) {
    await mustRun(process.execPath, [attw, tarball, "--profile", "strict", "--no-emoji"]);
  }
}

/**
 * @param {string} folder
 * @param {Map<string, string>} tarballs
 * @returns {Promise<string>} the folder of the application
 */
async function install(folder, tarballs) {
  const application = join(folder, "application");
  await cp(join(import.meta.dirname, "consumer"), application, { recursive: true });
  /** @type {Record<string, string>} */
  const dependencies = {};
  for (const [name, tarball] of tarballs) dependencies[name] = `file:${tarball}`;
  for (const [name, owner] of Object.entries(company)) {
    const manifest = join(root, "packages", owner, "node_modules", name, "package.json");
    dependencies[name] = JSON.parse(readFileSync(manifest, "utf8")).version;
  }
  writeFileSync(
    join(application, "package.json"),
    JSON.stringify({ name: "application", private: true, dependencies }),
  );
  await npm(["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: application });
  return application;
}

/** @param {string} application */
async function checkTypes(application) {
  const uses = readFileSync(join(application, "uses.ts"), "utf8");
  for (const ending of ["mts", "cts"]) writeFileSync(join(application, `uses.${ending}`), uses);
  const strict = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "false",
  ];
  const shared = [...strict, "--target", "es2022", "--types", "node", "--ignoreConfig"];
  const ways = [
    ["--module", "nodenext", "uses.mts", "uses.cts"],
    ["--module", "esnext", "--moduleResolution", "bundler", "uses.ts"],
    ["--module", "commonjs", "--moduleResolution", "bundler", "uses.ts"],
  ];
  for (const compiler of ["typescript", "typescript7"]) {
    const tsc = join(root, "node_modules", compiler, "bin/tsc");
    for (const way of ways) {
      await mustRun(process.execPath, [tsc, ...shared, ...way], { cwd: application });
    }
  }
}

if (process.argv[1] === import.meta.filename) await packaging();
