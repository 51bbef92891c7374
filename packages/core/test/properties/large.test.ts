import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { longestDuration } from "../../src/duration.ts";
import type { ConfigError } from "../../src/errors.ts";
import type { Policy } from "../../src/policy.ts";
import { type BareKey, bareKey } from "./bare-key.ts";
import { policyOf } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type Shape = Omit<Parameters<typeof policyOf>[0], "limit" | "window">;

const shapes: [name: string, shape: Shape][] = [
  ["fixed window", { algorithm: "fixed-window" }],
  ["first request", { algorithm: "fixed-window", align: "first-request" }],
  ["sliding window", { algorithm: "sliding-window" }],
  ["segments", { algorithm: "sliding-window", segments: 10 }],
  ["token bucket", { algorithm: "token-bucket" }],
  ["leaky bucket", { algorithm: "leaky-bucket" }],
];

const runs = { numRuns: 150 };

describe.each(shapes)("large numbers of a %s", (_name, shape) => {
  const policy = largest(shape);

  it("keeps its promises at both edges of every wait", () => {
    fc.assert(
      fc.property(policy, asked(), (policy, requests) => {
        const key = bareKey(policy);
        let now = 1_700_006_400_000;
        for (const { after, part } of requests) {
          now += Math.floor(after * policy.window);
          const cost = Math.max(1, Math.floor(part * policy.limit));
          if (key.take(now, cost)) continue;
          const { retryAfter, remaining } = key.view(now, cost);
          expect(remaining).toBeLessThan(cost);
          expect(key.copy().take(now + retryAfter - 1, cost)).toBe(false);
          expect(key.copy().take(now + retryAfter, cost)).toBe(true);
          now += retryAfter;
        }
      }),
      runs,
    );
  });

  it("tells exactly what remains, and when all of it is back", () => {
    fc.assert(
      fc.property(policy, asked(), (policy, requests) => {
        const key = bareKey(policy);
        let now = 1_700_006_400_000;
        for (const { after, part } of requests) {
          now += Math.floor(after * policy.window);
          key.take(now, Math.max(1, Math.floor(part * policy.limit)));
          const { remaining, resetAfter } = key.view(now, 1);
          expect(key.copy().take(now, remaining)).toBe(true);
          expect(key.copy().take(now, remaining + 1)).toBe(false);
          expect(key.copy().take(now + resetAfter, policy.limit)).toBe(true);
          expect(resetAfter === 0 || !key.copy().take(now + resetAfter - 1, policy.limit)).toBe(
            true,
          );
          expect(wholeBelow2to53(key, now)).toBe(true);
        }
      }),
      runs,
    );
  });
});

function wholeBelow2to53(key: BareKey, now: number): boolean {
  return [...key.slots, ...key.report(now, 1), key.expires(now)].every(
    (n) => Number.isSafeInteger(n) && n >= 0,
  );
}

/**
 * Generates policies near the largest that their algorithm represents exactly, over windows of up to a hundred years.
 */
function largest(shape: Shape): Arbitrary<Policy> {
  const exponent = fc.double({ min: 1, max: Math.log2(longestDuration / 10), noNaN: true });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  return fc.tuple(exponent, share, share).map(([power, part, odd]) => {
    const window = Math.floor(2 ** power) * 10;
    const most = largestLimit(shape, window, Math.floor(odd * 7));
    return policyOf({ ...shape, window, limit: Math.max(1, Math.floor(most * (1 - part ** 3))) });
  });
}

/** Returns the largest limit that is accepted, minus `less`. */
function largestLimit(shape: Shape, window: number, less: number): number {
  const limit = Number.MAX_SAFE_INTEGER;
  try {
    policyOf({ ...shape, window, limit });
    return limit - less;
  } catch (error) {
    const { expected } = (error as ConfigError).issues[0]!;
    return Math.max(1, Number(/at most (\d+)/.exec(expected)![1]) - less);
  }
}

function asked() {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  return fc.array(
    fc.record({
      after: fc.oneof(fc.constant(0), share),
      part: fc.oneof(fc.constant(1), share, fc.constant(1e-9)),
    }),
    { minLength: 1, maxLength: 8 },
  );
}
