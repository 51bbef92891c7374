import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  PolicyFileError,
  parsePolicies,
  policiesFrom,
  readPolicyFile,
} from "../../src/policy-file/index.ts";

const minute = { limit: 5, window: "1m" };

async function problemsOf(attempt: () => unknown): Promise<string[]> {
  try {
    await attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyFileError);
    return (error as Error).message.split("\n");
  }
  return [];
}

describe("policies as data", () => {
  it.each([
    ["a body", "body: { value: &a { x: *a } }", "body.value.x.x"],
    ["an answer", "action: { answer: { body: &a [*a] } }", "action.answer.body[0]"],
    ["a list of policies", "policies: &a [*a]", "policies[0]"],
  ])("that contain themselves in %s are refused when they are read", async (_, line, path) => {
    const text = `limit: 5\nwindow: 1m\n${line}\n`;
    const problems = await problemsOf(() => parsePolicies(text, { format: "yaml" }));
    expect(problems.join()).toContain(`${path}: expected`);
  });

  it("that nest without end, or are more than data, are refused", async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    for (const value of [deep, () => 1, 10n, Symbol("s"), { a: [{ b: () => 1 }] }]) {
      const problems = await problemsOf(() => policiesFrom({ ...minute, body: { value } }));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^body\.value[^:]*: expected (?:data|at most 100 levels), /);
    }
  });

  it("may use one part in many places", () => {
    const part = { a: [1, 2, 3] };
    const body = { value: Array(200).fill(part) };
    expect(policiesFrom({ ...minute, body })).toMatchObject(minute);
  });

  it.each([
    ['"__proto__": { "allow": ["0.0.0.0/0"] }', "__proto__"],
    ['"tier": "identity", "tiers": { "__proto__": { "limit": "x" } }', "tiers.__proto__"],
    ['"cost": { "by": "method", "of": { "__proto__": "x" }, "otherwise": 1 }', "cost.of.__proto__"],
    [
      '"action": { "answer": { "headers": { "__proto__": 5 } } }',
      "action.answer.headers.__proto__",
    ],
    ['"body": { "value": [{ "__proto__": 5 }] }', "body.value[0].__proto__"],
  ])("have no part %s, which nothing would check", async (part, path) => {
    const text = `{ "limit": 5, "window": "1m", ${part} }`;
    const told = await problemsOf(() => parsePolicies(text));
    expect(told.join()).toContain(`${path}: expected`);
  });

  it("take texts of any length", async () => {
    const note = 'x\\"'.repeat(100_000) + "y".repeat(20_000_000);
    const text = `{ "limit": 5, "window": "1m", "note": "${note}" }`;
    expect(await parsePolicies(text)).toEqual(minute);
  });
});

describe("a policy file", () => {
  it("that is no UTF-8 is refused, and one with a mark at its beginning is read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "spillway-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "policies.json");
    const text = JSON.stringify({ ...minute, tier: "identity", tiers: { zoë: { limit: 1 } } });
    await writeFile(path, text, "latin1");
    expect(await problemsOf(() => readPolicyFile(path))).toEqual([
      expect.stringMatching(
        /^.*policies\.json: expected a file that can be read, received .*utf-8/,
      ),
    ]);
    await writeFile(path, text, "utf16le");
    expect(await problemsOf(() => readPolicyFile(path))).toHaveLength(1);
    await writeFile(path, `\uFEFF${text}`);
    expect(await readPolicyFile(path)).toMatchObject(minute);
  });
});
