import { expect, test } from "vitest";
import { type AlgorithmName, algorithms, createLimiter, memoryStore } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

const names = Object.keys(algorithms) as AlgorithmName[];

test.each(names)("nobody pushes a ban by a %s out by inventing keys", async (algorithm) => {
  for (const [limit, cost] of [
    [1, 1],
    [5, 1],
    [5, 5],
    [0, 1],
  ] as const) {
    const clock = manualClock();
    const store = memoryStore({ maxKeys: 50, clock });
    const ban = { after: 3, within: "1h", for: "1h" } as const;
    const limiter = createLimiter({ algorithm, limit, window: "1m", ban, store });
    for (let i = 0; i < limit + 3; i++) await limiter.check("attacker");
    for (let i = 0; i < 600; i++) {
      await limiter.check(`invented ${i}`, { cost });
      if (i % 100 === 0) clock.advance(1000);
    }
    expect((await limiter.peek("attacker")).reason, `${limit} ${cost}`).toBe("blocked");
  }
});

test.each(names)(
  "nor refusals that are counted, nor how long his latest ban was",
  async (algorithm) => {
    const clock = manualClock();
    const store = memoryStore({ maxKeys: 50, clock });
    const ban = { after: 3, within: "1h", for: "5m", factor: 2 } as const;
    const limiter = createLimiter({ algorithm, limit: 2, window: "1m", ban, store });
    const invent = async () => {
      for (let i = 0; i < 600; i++) await limiter.check(`invented ${clock()} ${i}`);
    };
    for (let i = 0; i < 4; i++) await limiter.check("attacker");
    // The attacker's window is over, and the refusals are remembered for an hour.
    clock.advance(180_000);
    await invent();
    await limiter.check("attacker");
    await limiter.check("attacker");
    expect(await limiter.check("attacker")).toMatchObject({
      reason: "blocked",
      retryAfter: 300_000,
    });
    clock.advance(480_000);
    await invent();
    for (let i = 0; i < 5; i++) await limiter.check("attacker");
    expect(await limiter.peek("attacker")).toMatchObject({
      reason: "blocked",
      retryAfter: 600_000,
    });
  },
);

test("nor by keys of another policy that are spent", async () => {
  const clock = manualClock();
  const store = memoryStore({ maxKeys: 50, clock });
  const banning = createLimiter({ name: "a", limit: 1, window: "1m", ban: { for: "1h" }, store });
  const other = createLimiter({ name: "b", limit: 1, window: "1h", store });
  await banning.check("attacker");
  expect((await banning.check("attacker")).reason).toBe("blocked");
  for (let i = 0; i < 600; i++) await other.check(`invented ${i}`);
  expect((await banning.peek("attacker")).reason).toBe("blocked");
});
