import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pageAt, root, tablesOf } from "./docs/page.ts";

const tables = tablesOf(pageAt("docs/errors.md")).filter(({ mark }) => mark === "codes");

const sources = readdirSync(`${root}packages`)
  .map((name) => `${root}packages/${name}/src/`)
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => folder + file))
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

const reasons = /export type Reason =([^;]+);/.exec(sources)![1]!;

/** Where the code names the entries of a table. */
const named: Readonly<Record<string, [text: string, pattern: RegExp]>> = {
  errors: [sources, /"(ERR_\w+)"/g],
  reasons: [reasons, /("[a-z-]+")/g],
  warnings: [sources, /"(SPILLWAY_\w+)"/g],
  channels: [sources, /"(spillway:[\w-]+)"/g],
};

it.each(Object.keys(named))("lists all %s", (kind) => {
  const [text, pattern] = named[kind]!;
  const used = new Set([...text.matchAll(pattern)].map(([, name]) => name!));
  const [, ...rows] = tables.find(({ name }) => name === kind)!.rows;
  expect(rows.map(([code]) => code!.replaceAll("`", "")).sort()).toEqual([...used].sort());
});
