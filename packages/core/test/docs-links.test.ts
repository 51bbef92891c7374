import { existsSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, it } from "vitest";
import { allPages, type Page, pageAt, root } from "./docs/page.ts";

it.each(allPages())("links of $path lead somewhere", ({ path, text }) => {
  const links = [...prose(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !leads(link, path))).toEqual([]);
});

it("leads from the README to every page of docs", () => {
  const { text } = pageAt("README.md");
  const pages = allPages().filter(({ path }) => /^docs\/[^/]+$/.test(path));
  expect(pages.filter(({ path }) => !text.includes(`](${path})`))).toEqual([]);
});

function leads(link: string, from: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : join(dirname(from), file);
  if (!existsSync(root + target)) return false;
  return anchor === undefined || anchorsIn(pageAt(target)).includes(anchor);
}

/** Returns a text without code. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`]*`/g, "");
}

/** Returns the anchors generated from headings. */
function anchorsIn({ text }: Page): string[] {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
