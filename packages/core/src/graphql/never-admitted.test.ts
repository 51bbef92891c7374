import { expect, it } from "vitest";
import { createLimiter, memoryStore } from "../index.ts";
import { manualClock } from "../testing/index.ts";
import { graphqlCost } from "./index.ts";

const cost = graphqlCost({ maxDepth: 1 })({ body: { query: "{ a { b } }" } }) as number;

it.each(["sliding-window", "fixed-window", "sliding-log", "token-bucket", "leaky-bucket"] as const)(
  "what goes beyond a limit is refused by a %s, for good, and charged nothing",
  async (algorithm) => {
    const store = memoryStore({ clock: manualClock() });
    const limiter = createLimiter({ limit: 10, window: "1m", algorithm, store });
    const refused = await limiter.check("a", { cost });
    const told = {
      allowed: false,
      reason: "cost-exceeds-limit",
      retryAfter: Infinity,
      remaining: 10,
    };
    expect(refused).toMatchObject(told);
    expect(await limiter.check("a")).toMatchObject({ allowed: true, remaining: 9 });
  },
);

it("what goes beyond a limit is counted by bans", async () => {
  const store = memoryStore({ clock: manualClock() });
  const ban = { after: 2, for: "1h" } as const;
  const limiter = createLimiter({ limit: 10, window: "1m", store, ban });
  await limiter.check("a", { cost });
  await limiter.check("a", { cost });
  expect(await limiter.check("a")).toMatchObject({ allowed: false, reason: "blocked" });
  expect(await limiter.check("b")).toMatchObject({ allowed: true });
});
