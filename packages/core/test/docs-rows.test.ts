import { expect, it } from "vitest";
import { createLimiter, type LimiterOptions, memoryStore } from "../src/index.ts";
import { manualClock } from "../src/testing/index.ts";
import { pageAt, tablesOf } from "./docs/page.ts";

const tables = ["docs/algorithms.md", "docs/bans.md"]
  .flatMap((path) => tablesOf(pageAt(path)))
  .filter(({ mark }) => mark === "rows");

it("shows every algorithm with rows", () => {
  const shown = tables.map(
    ({ name }) => JSON.parse(name) as LimiterOptions & { algorithm?: string },
  );
  expect(new Set(shown.map(({ algorithm = "sliding-window" }) => algorithm))).toEqual(
    new Set(["sliding-window", "fixed-window", "sliding-log", "token-bucket", "leaky-bucket"]),
  );
});

it.each(tables)("decides as $at says: $name", async ({ name, rows: [heading, ...rows] }) => {
  const clock = manualClock();
  const start = clock();
  const limiter = createLimiter({ ...JSON.parse(name), store: memoryStore({ clock }) });
  const decided: string[][] = [];
  for (const row of rows) {
    const [at, cost] = row.map(Number) as [number, number];
    clock.set(start + at);
    const decision = await limiter.check("somebody", { cost });
    const values: Record<string, unknown> = {
      ...decision,
      at,
      cost,
      fits: decision.allowed ? "yes" : "no",
    };
    decided.push(heading!.map((column) => String(values[column])));
  }
  expect(decided).toEqual(rows);
});
