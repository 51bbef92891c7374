import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = new URL("../../..", import.meta.url).pathname;
const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

interface Manifest {
  private?: boolean;
  version: string;
  type: string;
  sideEffects: boolean;
  engines: Record<string, string>;
  files: string[];
  exports: Record<string, string | Record<string, string>>;
  publishConfig: { exports: Record<string, string | Record<string, Record<string, string>>> };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifests = ["packages", "examples"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((folder) => existsSync(join(root, folder, "package.json")))
  .map((folder) => ({
    folder,
    manifest: JSON.parse(read(folder, "package.json")) as Manifest,
  }));
const published = manifests.filter(({ manifest }) => manifest.private !== true);

describe.each(published)("$folder", ({ folder, manifest }) => {
  const paths = Object.entries(manifest.exports).filter(([, target]) => typeof target !== "string");
  const data = Object.values(manifest.exports).filter((target) => typeof target === "string");

  it("publishes the paths that the workspace knows, from dist alone", () => {
    const { exports } = manifest.publishConfig;
    expect(Object.keys(exports)).toEqual(Object.keys(manifest.exports));
    expect(JSON.stringify(exports)).not.toContain("/src/");
    for (const [path, targets] of paths) {
      const { import: esm, require: cjs } = targets as Record<string, string>;
      expect(exports[path]).toEqual({
        import: { types: esm?.replace(/\.mjs$/, ".d.mts"), default: esm },
        require: { types: cjs?.replace(/\.cjs$/, ".d.cts"), default: cjs },
      });
    }
  });

  it("lets tests and compilers read the sources, and Node the build", () => {
    for (const [, targets] of paths) {
      const { types, development, ...rest } = targets as Record<string, string>;
      expect(types).toMatch(/^\.\/src\/.*\.ts$/);
      expect(development).toBe(types);
      // what comes first wins: the sources have to stand before the build
      expect(Object.keys(targets)).toEqual(["types", "development", "import", "require"]);
      expect(Object.values(rest).every((file) => file.startsWith("./dist/"))).toBe(true);
    }
  });

  it("packs the data that it exports", () => {
    for (const file of data.filter((target) => target !== "./package.json")) {
      const packed = String(file).replace(/^\.\//, "").replace(/\/\*$/, "");
      expect(manifest.files).toContain(packed);
      expect(existsSync(join(root, folder, packed)), packed).toBe(true);
    }
    for (const [path, target] of Object.entries(manifest.exports)) {
      if (typeof target === "string") expect(manifest.publishConfig.exports[path]).toBe(target);
    }
  });

  it("says what it is", () => {
    expect(manifest.files[0]).toBe("dist");
    expect(manifest).toMatchObject({
      version: published[0]?.manifest.version,
      type: "module",
      sideEffects: false,
      engines: { node: ">=20.19" },
    });
    expect(read(folder, "LICENSE")).toBe(read("LICENSE"));
    expect(read(folder, "README.md")).toMatch(new RegExp(`^# @spillway/${folder.split("/")[1]}\n`));
  });
});

it("takes every version from the catalog", () => {
  for (const { folder, manifest } of manifests) {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect
      .soft(
        versions.filter((each) => !/^(catalog:|workspace:[*^])$/.test(each)),
        folder,
      )
      .toEqual([]);
  }
});

it("names exact versions in the catalog", () => {
  const catalog = read("pnpm-workspace.yaml").split("\ncatalog:\n")[1] ?? "";
  const lines = catalog.split("\n").filter((line) => /^ {2}[^#\s]/.test(line));
  expect(lines.length).toBeGreaterThan(20);
  const loose = lines.filter((line) => !/^ {2}\S+: (npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/.test(line));
  expect(loose).toEqual([]);
});
