import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { pageAt, root, tablesOf } from "./docs/page.ts";

const tables = tablesOf(pageAt("docs/cases.md"));
const rowsOf = (name: string): string[][] =>
  tables.find((table) => table.mark === "cases" && table.name === name)!.rows.slice(1);

const scenarios = rowsOf("scenarios");
const told = scenarios.map(([number]) => number!);
const shared = new URL("../../../../shared/cases/scenarios.md", import.meta.url);

describe("the scenarios of docs/cases.md", () => {
  it("are each there once", () => {
    expect(told).toEqual([...new Set(told)].sort(byNumber));
  });

  it("are proven, or not with a reason", () => {
    const bare = scenarios.filter(([, , proof, note]) => proof === "" && note === "");
    expect(bare).toEqual([]);
  });

  it.each(scenarios)("%s is in the tests that it names: %s", (number, _fault, proof) => {
    const files = [...proof!.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file]) => file!);
    for (const file of files) {
      expect(numbersIn(readFileSync(root + file, "utf8")), file).toContain(number);
    }
  });

  it("have every number that a test names", () => {
    const named = testFiles().flatMap((file) => [...numbersIn(readFileSync(root + file, "utf8"))]);
    expect([...new Set(named)].filter((number) => !told.includes(number)).sort(byNumber)).toEqual(
      [],
    );
  });

  it.skipIf(!existsSync(shared))(
    "are all that were gathered (skipped where these are not there)",
    () => {
      const gathered = [...readFileSync(shared, "utf8").matchAll(/^### (B\d+) /gm)];
      expect(told).toEqual(gathered.map(([, number]) => number));
    },
  );
});

it("gives the reasons for vectors that cannot apply as their test does", () => {
  const test = readFileSync(new URL("vectors.test.ts", import.meta.url), "utf8");
  const [, list] = /const inapplicable[^{]*\{([\s\S]*?)\n\};/.exec(test)!;
  const reasons = [...list!.matchAll(/"([^"]+)":\s*"([^"]+)"/g)].map(([, name, why]) => [
    name,
    why,
  ]);
  expect(rowsOf("vectors").map(([name, why]) => [name!.replaceAll("`", ""), why])).toEqual(reasons);
});

function numbersIn(text: string): Set<string> {
  return new Set(text.replace(/^\s*\/\/.*$/gm, "").match(/\bB\d{2,3}\b/g));
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

/** Returns every TypeScript file in a package's tests, beside its sources, or in the examples. */
function testFiles(): string[] {
  const folders = readdirSync(`${root}packages`).flatMap((name) => [
    `packages/${name}/test`,
    `packages/${name}/src`,
  ]);
  return [...folders, "examples"]
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) => filesIn(folder))
    .filter((file) => file.endsWith(".ts"));
}

function filesIn(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return path;
    return entry.name === "node_modules" || entry.name === "dist" ? [] : filesIn(path);
  });
}
