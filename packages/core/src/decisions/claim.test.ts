import { describe, expect, it } from "vitest";
import type { Decision } from "../decision.ts";
import { createLimiter } from "../limiter.ts";
import { claim } from "./claim.ts";

describe("claim", () => {
  const limiter = createLimiter({
    policies: ["a", "b", "c"].map((name) => ({ name, limit: 5, window: "1m" })),
  });
  const names = (decision: Decision, wanted?: readonly boolean[]): string[] | undefined => {
    const receipt = claim(decision, wanted);
    if (receipt)
      expect([receipt.fits.length, receipt.states.length]).toEqual(
        Array(2).fill(receipt.charges.length),
      );
    return receipt?.charges.map(({ policy }) => policy.name);
  };

  it("is all that was taken, once", async () => {
    const decision = await limiter.check("key");
    expect(names(decision)).toEqual(["a", "b", "c"]);
    expect(names(decision)).toBeUndefined();
  });

  it("is the part that is wanted, and then what is left", async () => {
    const decision = await limiter.check("key");
    expect(names(decision, [false, false, false])).toBeUndefined();
    expect(names(decision, [true, false, true])).toEqual(["a", "c"]);
    expect(names(decision, [true, true, false])).toEqual(["b"]);
    expect(names(decision)).toBeUndefined();
  });

  it("is nothing where nothing was taken", async () => {
    expect(names(await limiter.check("key", { cost: 6 }))).toBeUndefined();
    expect(names(await limiter.peek("key"))).toBeUndefined();
    expect(names({ ...(await limiter.check("key")) })).toBeUndefined();
  });
});
