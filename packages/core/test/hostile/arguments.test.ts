import { describe, expect, it } from "vitest";
import { createLimiter, memoryStore } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

describe("arguments that do not fit", () => {
  const store = memoryStore({ clock: manualClock() });
  const limiter = createLimiter({ limit: 5, window: "1m", store });

  it.each<[unknown, string]>([
    [3, "options: expected an object with cost, policy or tier, received 3"],
    ["3", 'options: expected an object with cost, policy or tier, received "3"'],
    [null, "options: expected an object with cost, policy or tier, received null"],
    [
      { cots: 3 },
      "cots: expected a known option: cost, policy or tier, received 3 under this name",
    ],
    [
      { cost: null },
      "cost: expected a whole number from 0 to 2^53 - 1, or one for each policy by its name, received null",
    ],
    [{ policy: 7 }, "policy: expected the name of a policy: default, received 7"],
  ])("such as %j are refused, and charge nothing", async (options, message) => {
    for (const ask of [limiter.check, limiter.checkOrThrow, limiter.peek]) {
      await expect(ask("a", options as never)).rejects.toMatchObject({
        code: "ERR_INVALID_CONFIG",
        message,
      });
    }
    expect((await limiter.peek("a")).remaining).toBe(5);
  });

  it.each<[unknown, string]>([
    [null, "options: expected an object with policy, received null"],
    ["default", 'options: expected an object with policy, received "default"'],
    [{ cost: 1 }, "cost: expected a known option: policy, received 1 under this name"],
  ])("of reset, such as %j, are refused", async (options, message) => {
    await expect(limiter.reset("a", options as never)).rejects.toThrow(message);
  });

  it.each([undefined, null, 5, "a"])("of give, such as %j, are refused", async (decision) => {
    await expect(limiter.give(decision as never)).rejects.toMatchObject({
      code: "ERR_INVALID_CONFIG",
      message: expect.stringMatching(/^decision: expected a decision of this limiter, received /),
    });
  });
});
