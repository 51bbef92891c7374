import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Program, program } from "../program.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spillway-example-"));
});
afterEach(() => rm(folder, { recursive: true }));

function start(args: readonly string[], env: Record<string, string> = {}): Program {
  return program(new URL("outage.js", import.meta.url), args, { TMPDIR: folder, ...env });
}

/** Returns the lines of a timeline without their times; responses as [status, remaining, degraded]. */
function timelineOf(output: string): (string | Answer)[] {
  const lines = output.matchAll(/^ *\d+ {2}(?:-- (.*)| *(\d+) +(\d+) {2}(yes|no))$/gm);
  return [...lines].map(
    ([, event, status, remaining, degraded]) =>
      event ?? [Number(status), Number(remaining), degraded!],
  );
}

const countdown = (from: number, count: number, degraded: string): Answer[] =>
  Array.from({ length: count }, (_, i) => [200, from - i, degraded]);

const isAnswer = (line: string | Answer): line is Answer => typeof line !== "string";

// Generous: the machine may be busy with the other tests.
describe("an outage of Redis", { timeout: 120_000 }, () => {
  it.each([
    {
      args: [],
      begun: "Redis is killed",
      ended: "Redis is started again, empty",
      because: /^onEnter: Redis cannot be reached|^onEnter: Redis did not answer/,
      // It has forgotten what was used.
      after: { most: 19, least: 19 },
    },
    {
      args: ["--hang"],
      begun: "Redis is held",
      ended: "Redis goes on",
      because: /^onEnter: Redis did not answer within 500 ms$/,
      // It knows of five, and may have received some calls in the meantime.
      after: { most: 14, least: 6 },
    },
  ])(
    "is bridged by the fallback and ends: $begun",
    async ({ args, begun, ended, because, after }) => {
      const running = start(args);
      const code = await running.ended;
      expect({ code, errors: running.errors }).toEqual({ code: 0, errors: "" });

      const lines = timelineOf(running.output);
      const [enter, leave] = [
        lines.findIndex((line) => because.test(String(line))),
        lines.indexOf("onLeave"),
      ];
      expect(lines.filter((line) => !isAnswer(line))).toEqual([
        begun,
        lines[enter],
        ended,
        "onLeave",
      ]);
      expect(lines.slice(0, 6)).toEqual([...countdown(19, 5, "no"), begun]);

      const during = lines.slice(6, leave).filter(isAnswer);
      expect(during.slice(0, 10)).toEqual(countdown(9, 10, "yes"));
      expect(during.length).toBeGreaterThanOrEqual(13);
      expect(during.slice(10)).toEqual(during.slice(10).map(() => [429, 0, "yes"]));
      // The third failure in a row is the last time that Redis is waited for.
      expect(lines.slice(6, enter)).toHaveLength(2);

      const back = lines.slice(leave + 1) as Answer[];
      const [, first] = back[0]!;
      expect(first).toBeLessThanOrEqual(after.most);
      expect(first).toBeGreaterThanOrEqual(after.least);
      expect(back).toEqual(countdown(first, 6, "no"));

      const count = lines.filter(isAnswer).length;
      expect(running.output).toContain(
        `\n${count} requests: 21 passed, ${count - 21} refused, 0 failed; ${during.length} were decided by the fallback.`,
      );
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("can be interrupted while Redis is held, and leaves nothing", async () => {
    const running = start(["--hang"]);
    await running.printed(/Redis is held/);
    running.interrupt();
    expect(await running.ended).toBe(1);
    expect(running.errors).toBe("");
    expect(running.output).not.toContain("onLeave");
    expect(await readdir(folder)).toEqual([]);
  });

  it("says what is missing", async () => {
    const running = start([], { PATH: folder });
    expect(await running.ended).toBe(1);
    expect(running.errors).toMatch(/^redis-server is not on PATH: install .*\n$/);
  });
});

type Answer = [status: number, remaining: number, degraded: string];
