import { expect, it } from "vitest";
import { PolicyFileError, parsePolicies, problemText } from "../src/policy-file/index.ts";
import { fencesOf, pageAt } from "./docs/page.ts";

const fences = fencesOf(pageAt("docs/policy-files.md"));
const files = fences.filter(({ mark }) => mark === "file");

it("has a mark on each policy file that it shows", () => {
  expect(files.length).toBeGreaterThan(1);
  expect(files).toEqual(fences.filter(({ language }) => language === "yaml"));
});

it.each(files)("has of the file $at the problems below it", async (file) => {
  const below = fences[fences.indexOf(file) + 1];
  const told = below?.mark === "problems" ? below.lines : [];
  expect(await problemsOf(file.lines.join("\n"), JSON.parse(file.name))).toEqual(told);
});

it("tells the next kind of problem once the first is mended", async () => {
  const broken = files[1]!.lines.filter((line) => !line.includes("max:")).join("\n");
  const mended = broken.replace("limit: -1", "limit: 1");
  expect(await problemsOf(mended, { functions: ["account"] })).toEqual([
    expect.stringMatching(/^policies\.yaml:8:\d+: policies\[1\]\.key\.use: .*"acount"$/),
  ]);
});

async function problemsOf(
  text: string,
  { functions }: { functions: readonly string[] },
): Promise<string[]> {
  const given = Object.fromEntries(functions.map((name) => [name, () => undefined]));
  try {
    await parsePolicies(text, { format: "yaml", name: "policies.yaml", functions: given });
    return [];
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    return error.problems.map(problemText);
  }
}
