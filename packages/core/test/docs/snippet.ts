import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { type Fence, root } from "./page.ts";

/** Code that a page omits from all snippets of a kind, because its reader has it: `<!-- with: express -->`. */
const givens: Readonly<Record<string, readonly string[]>> = {
  express: [
    'import express from "express";',
    'import { apiKey, everyone, header, ip, join, jwtClaim, keyOf, memoryStore, preflight, rateLimit, route, user } from "@spillway/express";',
    "const app = express();",
  ],
  fastify: [
    'import Fastify from "fastify";',
    'import rateLimit, { apiKey, everyone, header, ip, join, jwtClaim, keyOf, limit, memoryStore, preflight, route, user } from "@spillway/fastify";',
    "const app = Fastify();",
  ],
  koa: [
    'import Koa from "koa";',
    'import Router from "@koa/router";',
    'import { apiKey, everyone, header, ip, join, jwtClaim, keyOf, memoryStore, preflight, rateLimit, route, user } from "@spillway/koa";',
    "const app = new Koa();",
    "const router = new Router();",
  ],
  core: ['import { createLimiter, memoryStore } from "@spillway/core";'],
};

/** The packages whose dependencies a snippet may import, in search order. */
const packages = ["express", "fastify", "koa", "redis", "core"];

/** Returns the whole program of a snippet. */
export function programOf({ at, mark, name, lines }: Fence): string {
  const given = mark === "with" ? givens[name] : [];
  if (!given) throw new Error(`${at}: nothing is known of "with: ${name}"`);
  return [...given, ...lines, "export {};"].join("\n");
}

/** Type-checks snippets as one strict program and returns a line per error. */
export async function typeErrors(fences: readonly Fence[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "spillway-docs-"));
  try {
    for (const [i, fence] of fences.entries()) {
      await writeFile(join(folder, `${i}.mts`), programOf(fence));
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings()));
    await installInto(folder);
    const compiler = `${root}node_modules/typescript7/bin/tsc`;
    const args = [compiler, "--project", folder, "--pretty", "false"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (failed: { stdout: string }) => failed,
    );
    // Errors in our sources are found by the check of the whole workspace.
    const errors = stdout.matchAll(/^(\d+)\.mts\((\d+),\d+\): (.*)/gm);
    return [...errors].map(([, i, line, message]) => {
      const fence = fences[Number(i)]!;
      return `${fence.at}: ${message} in: ${programOf(fence).split("\n")[Number(line) - 1]}`;
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function settings(): object {
  const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.base.json`, "utf8"));
  const lenient = { isolatedDeclarations: false, noUnusedLocals: false, noUnusedParameters: false };
  return { compilerOptions: { ...compilerOptions, ...lenient }, include: ["*.mts"] };
}

/** Creates a folder of modules as in an application: our packages and their development dependencies. */
async function installInto(folder: string): Promise<void> {
  const link = async (name: string, target: string): Promise<void> => {
    const path = join(folder, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    if (!existsSync(path)) await symlink(target, path, "junction");
  };
  for (const name of packages) {
    await link(`@spillway/${name}`, `${root}packages/${name}`);
    for (const from of [`${root}packages/${name}/node_modules/`, `${root}node_modules/`]) {
      for (const module of modulesIn(from)) await link(module, await realpath(from + module));
    }
  }
}

function modulesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(folder + name).map((inner) => `${name}/${inner}`) : name,
  );
}

/** Runs a snippet as a module and returns its top-level declarations. */
export async function run(fence: Fence): Promise<Record<string, unknown>> {
  const program = programOf(fence);
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
    },
  });
  const names = [...program.matchAll(/^(?:const|let|(?:async )?function) (\w+)/gm)].map(
    (m) => m[1],
  );
  const modules = new Map<string, unknown>();
  for (const [, name] of outputText.matchAll(/\brequire\("([^"]+)"\)/g)) {
    modules.set(name!, await load(name!));
  }
  const body = `${outputText.replaceAll("await Promise.resolve().then", "await (async (f) => f())")}\nreturn { ${names.join(", ")} };`;
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const module = new AsyncFunction("require", "exports", body) as (
    require: (name: string) => unknown,
    exports: object,
  ) => Promise<Record<string, unknown>>;
  return module((name) => modules.get(name), {});
}

/** Loads a module as a snippet beside the packages would: ours from source. */
async function load(name: string): Promise<unknown> {
  const own = /^@spillway\/(\w+)(?:\/([\w-]+))?$/.exec(name);
  const namespace = own
    ? await import(
        /* @vite-ignore */ `${root}packages/${own[1]}/src/${own[2] ? `${own[2]}/` : ""}index.ts`
      )
    : await import(/* @vite-ignore */ theirs(name));
  // Node does not always find the exports of a CommonJS module.
  return { ...(namespace as { default?: object }).default, ...namespace, __esModule: true };
}

function theirs(name: string): string {
  for (const folder of packages) {
    const { resolve } = createRequire(`${root}packages/${folder}/package.json`);
    try {
      const path = resolve(name);
      return path.startsWith("/") ? pathToFileURL(path).href : path;
    } catch {
      // Another package may have it.
    }
  }
  throw new Error(`no package depends on ${name}`);
}
