import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { inTurns } from "./in-turns.mjs";
import { pack } from "./pack.mjs";
import { root } from "./root.mjs";
import { mustRun } from "./run.mjs";
import { npm } from "./set-up.mjs";

/** Which package an application uses, and beside which modules of the workspace. */
const applications = [
  { uses: "core", beside: [] },
  { uses: "core", beside: ["graphql"] },
  { uses: "express", beside: ["express", "@types/express"] },
  { uses: "express", beside: ["express4", "@types/express4"] },
  { uses: "fastify", beside: ["fastify"] },
  { uses: "koa", beside: ["koa", "@types/koa"] },
  { uses: "redis", beside: ["ioredis"] },
  { uses: "redis", beside: ["ioredis5"] },
];

/**
 * Packs every published package as it would be published, and uses the tarballs as a stranger does.
 *
 * publint and attw read each tarball; then applications in a temporary folder install them, import
 * and require them, refuse a real request, and are type checked with every way of resolving
 * modules. Needs what `build` made. Rejects with the first check that fails.
 *
 * @param {readonly string[]} [nodes] programs of Node that run the applications
 */
export async function packaging(nodes = [process.execPath]) {
  const folder = await mkdtemp(join(tmpdir(), "spillway-packaging-"));
  try {
    const tarballs = await pack(join(folder, "tarballs"));
    await inTurns([...tarballs.values()], lint);
    const possible = applications.filter(({ uses }) => tarballs.has(uses));
    await inTurns(possible, async (application) => {
      const cwd = await install(folder, tarballs, application);
      checkFiles(join(cwd, "node_modules/@spillway"));
      for (const node of nodes) {
        await mustRun(node, ["run.mjs"], { cwd });
        await mustRun(node, ["run.cjs"], { cwd });
      }
      await checkTypes(cwd);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} tarball */
async function lint(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  if (messages.length > 0) {
    const texts = messages.map((message) => formatMessage(message, pkg, { color: false }));
    throw new Error(`publint on ${pkg.name}\n${texts.join("\n")}`);
  }
  const attw = join(import.meta.dirname, "node_modules/@arethetypeswrong/cli/dist/index.js");
  await mustRun(process.execPath, [attw, tarball, "--profile", "strict", "--no-emoji"]);
}

/**
 * @param {string} folder
 * @param {Map<string, string>} tarballs
 * @param {{ uses: string; beside: readonly string[] }} application
 * @returns {Promise<string>} the folder of the application
 */
async function install(folder, tarballs, { uses, beside }) {
  const cwd = join(folder, beside[0] ?? uses);
  await cp(join(import.meta.dirname, "consumer", uses), cwd, { recursive: true });
  await cp(join(import.meta.dirname, "consumer/statuses.cjs"), join(cwd, "statuses.cjs"));
  /** @type {Record<string, string>} */
  const dependencies = {};
  for (const name of new Set(["core", uses])) {
    dependencies[`@spillway/${name}`] = `file:${tarballs.get(name)}`;
  }
  for (const name of ["@types/node", ...beside]) {
    const own = join(root, "packages", uses, "node_modules", name);
    const found = existsSync(own) ? own : join(root, "node_modules", name);
    // an alias holds the manifest of what it stands for
    const manifest = JSON.parse(readFileSync(join(found, "package.json"), "utf8"));
    dependencies[manifest.name] = manifest.version;
  }
  writeFileSync(
    join(cwd, "package.json"),
    JSON.stringify({ name: "application", private: true, dependencies }),
  );
  await npm(["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd });
  return cwd;
}

/**
 * Reads what was installed: runners such as Jest have no `import()` in CommonJS, and of declarations only those of policy
 * files may make a compiler read zod's.
 *
 * @param {string} folder
 */
function checkFiles(folder) {
  const files = readdirSync(folder, { encoding: "utf8", recursive: true });
  for (const file of files.filter((name) => /\.(?:cjs|d\.[cm]ts)$/.test(name))) {
    const text = readFileSync(join(folder, file), "utf8");
    if (file.endsWith(".cjs") && /\bimport\(/.test(text))
      throw new Error(`${file} has an import()`);
    const zods = /\.d\.[cm]ts$/.test(file) && !/policy-file\.d\.[cm]ts$/.test(file);
    if (zods && text.includes('from "zod"')) throw new Error(`${file} imports zod`);
  }
}

/** @param {string} cwd */
async function checkTypes(cwd) {
  const uses = readFileSync(join(cwd, "uses.ts"), "utf8");
  for (const ending of ["mts", "cts"]) writeFileSync(join(cwd, `uses.${ending}`), uses);
  const strict = ["--strict", "--exactOptionalPropertyTypes"];
  const target = ["--target", "es2022", "--lib", "es2022", "--types", "node"];
  const esm = ["--module", "nodenext", "uses.mts"];
  const cjs = ["--module", "nodenext", "uses.cts"];
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "uses.ts"];
  const commonjs = ["--module", "commonjs", "--moduleResolution", "bundler", "uses.ts"];
  const everything = ["--ignoreConfig", "--skipLibCheck", "false"];
  // older compilers take ten seconds for what the newest one does in two
  for (const { compiler, ways, flags } of [
    // the oldest one that the README promises; declarations of others may be too new for it
    { compiler: "typescript54", ways: [esm], flags: ["--skipLibCheck"] },
    { compiler: "typescript", ways: [esm], flags: everything },
    { compiler: "typescript7", ways: [esm, cjs, bundler, commonjs], flags: everything },
  ]) {
    const tsc = join(root, "node_modules", compiler, "bin/tsc");
    for (const way of ways) {
      const args = ["--noEmit", ...flags, ...strict, ...target, ...way];
      await mustRun(process.execPath, [tsc, ...args], { cwd });
    }
  }
}

if (process.argv[1] === import.meta.filename) await packaging();
