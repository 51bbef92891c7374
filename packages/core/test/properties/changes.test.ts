import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Policy } from "../../src/policy.ts";
import type { BareKey } from "./bare-key.ts";
import { histories, live } from "./history.ts";
import { resized, specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 200 };

describe.each(specimens)("a change of $name", (specimen) => {
  const { most } = specimen;
  const wild = histories(specimen, { back: true, changes: true });
  const change = fc.record({
    limit: fc.integer({ min: 0, max: 9 }),
    burst: fc.integer({ min: 1, max: 9 }),
    after: fc.integer({ min: 0, max: 60 }),
  });

  it("keeps what was just taken as taken, whatever the new numbers", () => {
    const next = specimen.policy.chain((policy) => specimen.successor(policy));
    fc.assert(
      fc.property(wild, next, (history, policy) => {
        live(specimen, history, ({ key, now, cost, fits }) => {
          if (!fits || cost === 0) return;
          const changed = key.copy();
          changed.policy = policy;
          expect(largest(changed, now)).toBeLessThanOrEqual(Math.max(0, most(policy) - cost));
        });
      }),
      runs,
    );
  });

  it("of the limit alone moves what is left by no more than the limit moved", () => {
    fc.assert(
      fc.property(wild, change, (history, { limit, burst }) => {
        live(specimen, history, ({ key, now, fits, cost }) => {
          if (!fits || cost === 0) return;
          const had = largest(key, now);
          const changed = key.copy();
          changed.policy = resized(key.policy, limit, burst);
          const moved = most(changed.policy) - most(key.policy);
          expect(largest(changed, now)).toBeLessThanOrEqual(Math.max(0, had + moved));
        });
      }),
      runs,
    );
  });

  it("to more never refuses what fitted before, at once or later", () => {
    fc.assert(
      fc.property(wild, change, (history, { limit, burst, after }) => {
        const [key, end] = live(specimen, history);
        const now = end + after;
        const { policy } = key;
        const had = largest(key, now);
        key.policy = resized(policy, policy.limit + limit, burstOf(policy) + burst);
        if (policy.limit > 0) expect(largest(key, now)).toBeGreaterThanOrEqual(had);
      }),
      runs,
    );
  });

  it("and back again loses nothing", () => {
    fc.assert(
      fc.property(wild, change, (history, { limit, burst }) => {
        live(specimen, history, ({ key, now, fits, cost }) => {
          const { policy } = key;
          // A bucket that shrinks overflows, and a counted refusal stores that.
          const spills = policy.countRefused && specimen.name.endsWith("bucket");
          if (!fits || cost === 0 || spills) return;
          const had = largest(key, now);
          const changed = key.copy();
          changed.policy = resized(policy, limit, burst);
          changed.take(now, 1);
          changed.policy = policy;
          expect(largest(changed, now)).toBeLessThanOrEqual(had);
        });
      }),
      runs,
    );
  });
});

function burstOf(policy: Policy): number {
  return policy.params(0)[1]!;
}

function largest(key: BareKey, now: number): number {
  let cost = 0;
  while (key.copy().take(now, cost + 1)) cost++;
  return cost;
}
