import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, posix } from "node:path";
import { describe, expect, it } from "vitest";

const packages = new URL("../../", import.meta.url);
const frameworks: Readonly<Record<string, readonly string[]>> = {
  core: ["zod"],
  redis: [],
  express: ["express"],
  fastify: ["fastify", "fastify-plugin"],
  koa: ["koa"],
};

interface Source {
  /** For example `core/src/policy.ts`. */
  readonly path: string;
  readonly text: string;
  /** Paths of the same form, or names of packages. */
  readonly imports: readonly { readonly from: string }[];
}

const sources = Object.keys(frameworks).flatMap((name) => sourcesIn(`${name}/src/`));

describe("modules", () => {
  it("import the core and their framework, and nothing else", () => {
    const strangers = sources.flatMap(({ path, imports }) => {
      const [own] = path.split("/") as [string];
      const cores = own === "core" ? [] : ["@spillway/core"];
      const http = own === "core" || own === "redis" ? [] : ["@spillway/core/http"];
      const testing = path.includes("/testing/") ? ["@spillway/core/testing"] : [];
      const graphql = path.startsWith("core/src/graphql/") ? ["graphql"] : [];
      const yaml = path.startsWith("core/src/policy-file/text/") ? ["yaml"] : [];
      const allowed = [...cores, ...http, ...testing, ...graphql, ...yaml, ...frameworks[own]!];
      const outside = imports
        .map(({ from }) => from)
        .filter((from) => !/^(node:|\w+\/src\/)/.test(from));
      return outside.filter((from) => !allowed.includes(from)).map((from) => `${path}: ${from}`);
    });
    expect(strangers).toEqual([]);
  });

  it("that need the graphql package are needed by no other", () => {
    const beside = sources.filter(({ path }) => !path.startsWith("core/src/graphql/"));
    const wrong = beside.filter(({ imports }) =>
      imports.some(({ from }) => from.startsWith("core/src/graphql/")),
    );
    expect(beside.length).toBeLessThan(sources.length);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("know HTTP only in its folder, and the tests of others nowhere", () => {
    const wrong = sources.filter(({ path, imports }) => {
      const knows = (part: string) =>
        imports.some(({ from }) => from.startsWith(`core/src/${part}`));
      if (path.startsWith("core/src/testing/")) return false;
      // Built on the core and its HTTP part, like adapters.
      if (path.startsWith("core/src/policy-file/")) return knows("testing/");
      return knows("testing/") || (!path.startsWith("core/src/http/") && knows("http/"));
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("that are algorithms know nothing but what an algorithm is, here and in Lua", () => {
    const algorithms = sources.filter(({ path }) => /\/algorithms\/(?!index)/.test(path));
    const known = algorithms.flatMap(({ path, imports }) =>
      imports.map(({ from }) => `${basename(path)} ${basename(from)}`),
    );
    const beyond = known.filter((pair) => !/ (algorithm|lua-twin)\.ts$/.test(pair));
    expect(algorithms).toHaveLength(7);
    expect(beyond).toEqual(["leaky-bucket.ts token-bucket.ts", "sliding-window.ts sub-windows.ts"]);
  });

  it("are named after one thing", () => {
    const vague = /^(utils?|helpers?|common|types|misc|shared)\.ts$/;
    expect(sources.filter(({ path }) => vague.test(basename(path)))).toEqual([]);
  });

  it("leave the machine's time to the clock, and timers to those that need one", () => {
    const times = /\bDate\.now\b|new Date\(\)|\bperformance\.|\bhrtime\b/;
    expect(pathsWith(times)).toEqual(["core/src/clock.ts"]);
    const timers = [
      "core/src/http/response/hold.ts",
      "core/src/memory/sweeper.ts",
      "core/src/policy-file/live/after.ts",
      "core/src/within.ts",
      "redis/src/client/readiness.ts",
      "redis/src/timeout.ts",
    ];
    expect(pathsWith(/\bset(Timeout|Interval)\(/).toSorted()).toEqual(timers);
  });

  it("stand in folders that one looks through at a glance", () => {
    const files = new Map<string, number>();
    for (const { path } of sources) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
    expect([...files].filter(([, count]) => count > 30)).toEqual([]);
    expect(files.size).toBeGreaterThan(20);
  });

  it("have no cycles, of types neither", () => {
    const done = new Set<string>();
    const visit = (path: string, way: readonly string[]): void => {
      expect(way.includes(path), [...way, path].join(" → ")).toBe(false);
      if (done.has(path)) return;
      const { imports = [] } = sources.find((source) => source.path === path) ?? {};
      for (const { from } of imports) visit(from, [...way, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(done.size).toBeGreaterThan(50);
  });

  it("import each other by names that exist", () => {
    const paths = new Set(sources.map(({ path }) => path));
    const inside = sources.flatMap(({ imports }) =>
      imports.filter(({ from }) => from.includes("/src/")),
    );
    expect(inside.filter(({ from }) => !paths.has(from))).toEqual([]);
    expect(inside.length).toBeGreaterThan(100);
  });
});

function pathsWith(pattern: RegExp): string[] {
  return sources.flatMap(({ path, text }) => (pattern.test(text) ? [path] : []));
}

function sourcesIn(folder: string): Source[] {
  const url = new URL(folder, packages);
  if (!existsSync(url)) return [];
  return readdirSync(url, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/\.test(-d)?\.ts$/.test(file))
    .map((file) => {
      const path = posix.join(folder, file);
      const text = readFileSync(new URL(file, url), "utf8");
      const found = text.matchAll(
        /^(?:import|export)\b[^;"]*?from "([^"]+)";|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
      );
      const names = Array.from(found, ([, from, effect, later]) => (from ?? effect ?? later)!);
      const imports = names.map((from) => ({
        from: from.startsWith(".") ? posix.join(path, "..", from) : from,
      }));
      return { path, text, imports };
    });
}
