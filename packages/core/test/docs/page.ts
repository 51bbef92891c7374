import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A page of the documentation. */
export interface Page {
  /** Relative to the repository's root, such as `docs/tour.md`. */
  readonly path: string;
  readonly text: string;
}

/** A marked part of a page: what follows a comment such as `<!-- run: quick start -->`. */
export interface Part {
  /** Its position, such as `docs/tour.md:12`. */
  readonly at: string;
  /** What to do with it: `run`, `with`, `rows`, `options`; empty without a comment. */
  readonly mark: string;
  /** The comment's text after the colon. */
  readonly name: string;
  readonly lines: readonly string[];
}

/** A fenced block of code. */
export interface Fence extends Part {
  readonly language: string;
}

export const root: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** Reads a page; throws if it does not exist. */
export function pageAt(path: string): Page {
  return { path, text: readFileSync(root + path, "utf8") };
}

/** Returns every page: those beside the packages, those in docs, and the decisions. */
export function allPages(): Page[] {
  const folders = ["", "docs/", "docs/decisions/"].filter((folder) => existsSync(root + folder));
  return folders.flatMap((folder) =>
    readdirSync(root + folder)
      .filter((file) => file.endsWith(".md"))
      .sort()
      .map((file) => pageAt(folder + file)),
  );
}

/** Returns the fenced code blocks of a page. */
export function fencesOf({ path, text }: Page): Fence[] {
  const all = text.split("\n");
  const fences: Fence[] = [];
  for (let i = 0; i < all.length; i++) {
    const language = /^```(\w*)/.exec(all[i]!)?.[1];
    if (language === undefined) continue;
    const end = all.indexOf("```", i + 1);
    const lines = all.slice(i + 1, end);
    fences.push({ at: `${path}:${i + 1}`, language, lines, ...markAt(all, i - 1) });
    i = end;
  }
  return fences;
}

/** Returns the tables of a page, each row an array of cells, the heading first. */
export function tablesOf({ path, text }: Page): (Part & { readonly rows: string[][] })[] {
  const all = text.split("\n");
  const tables: (Part & { readonly rows: string[][] })[] = [];
  for (let i = 0; i < all.length; i++) {
    if (!all[i]!.startsWith("|")) continue;
    let end = i;
    while (all[end]?.startsWith("|")) end++;
    const lines = all.slice(i, end);
    const rows = lines.filter((line) => !/^\|[\s|:-]+\|$/.test(line)).map(cellsOf);
    tables.push({ at: `${path}:${i + 1}`, lines, rows, ...markAt(all, i - 1) });
    i = end;
  }
  return tables;
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, line.lastIndexOf("|")).split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function markAt(lines: readonly string[], before: number): Pick<Part, "mark" | "name"> {
  let at = before;
  while (lines[at] === "") at--;
  const [, mark = "", name = ""] = /^<!-- (\w+): (.+) -->$/.exec(lines[at] ?? "") ?? [];
  return { mark, name };
}
