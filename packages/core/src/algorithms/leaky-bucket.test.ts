import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "../../test/properties/bare-key.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { algorithms } from "./index.ts";
import { leakyBucket } from "./leaky-bucket.ts";
import { tokenBucket } from "./token-bucket.ts";

const algorithm = "leaky-bucket";

describe("leaky bucket", () => {
  it("lets the first leave at once, and the others one interval after the other", () => {
    const key = bareKey(policyOf({ algorithm, limit: 5, window: 1000, burst: 4 }));
    const rows: [now: number, cost: number, fits: boolean, delay: number][] = [
      [0, 1, true, 0],
      [0, 1, true, 200],
      [50, 1, true, 350],
      [50, 2, false, 0],
      [50, 1, true, 550],
      [200, 1, true, 600],
      [5000, 3, true, 0],
      [5000, 1, true, 600],
    ];
    for (const [now, cost, fits, delay] of rows) {
      expect(key.take(now, cost)).toBe(fits);
      if (fits) expect(key.view(now, cost).delay).toBe(delay);
    }
  });

  it("only meters where it is told not to hold", () => {
    const key = bareKey(policyOf({ algorithm, limit: 5, window: 1000, delay: false }));
    for (let i = 0; i < 5; i++) {
      expect(key.take(0, 1)).toBe(true);
      expect(key.view(0, 1).delay).toBe(0);
    }
    expect(key.take(0, 1)).toBe(false);
  });

  it("spreads departures to the rate of the outflow", () => {
    const numbers = fc.record({
      limit: fc.integer({ min: 1, max: 50 }),
      window: fc.integer({ min: 1, max: 2000 }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const requests = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 200 }), cost: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(numbers, requests, ({ limit, window, burst }, asked) => {
        const key = bareKey(policyOf({ algorithm, limit, window, burst }));
        let now = 1_000_000;
        // When the outflow is free, in units of 1 / limit ms.
        let free = 0n;
        for (const { after, cost } of asked) {
          now += after;
          if (!key.take(now, cost)) continue;
          const here = BigInt(now) * BigInt(limit);
          const leaves = here > free ? here : free;
          free = leaves + BigInt(cost) * BigInt(window);
          const wait = (leaves - here + BigInt(limit) - 1n) / BigInt(limit);
          expect(key.view(now, cost).delay).toBe(Number(wait));
        }
      }),
    );
  });

  it("admits whom a token bucket admits, by the same code and the same Lua", () => {
    const own = ["name", "isLeasable", "kind", "params", "view"];
    for (const [part, value] of Object.entries(leakyBucket)) {
      if (!own.includes(part)) expect(value).toBe(tokenBucket[part as keyof typeof tokenBucket]);
    }
  });
});

describe("algorithms", () => {
  it("stand under their names", () => {
    const names = Object.entries(algorithms).map(([name, algorithm]) => [name, algorithm.name]);
    expect(names).toHaveLength(5);
    for (const [name, own] of names) expect(own).toBe(name);
  });
});
