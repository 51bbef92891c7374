import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { histories, live } from "./history.ts";
import { specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 200 };

describe.each(specimens)("a clock that steps back under $name", (specimen) => {
  const { most, longestWait } = specimen;
  const wild = histories(specimen, { back: true, changes: true });
  const step = fc.record({
    back: fc.integer({ min: 1, max: 400 }),
    cost: fc.integer({ min: 1, max: 9 }),
  });

  it("lets nothing pass that was refused just after a charge", () => {
    fc.assert(
      fc.property(wild, step, (history, { back, cost }) => {
        live(specimen, history, ({ key, now, fits, cost: charged }) => {
          if (!fits || charged === 0 || key.copy().take(now, cost)) return;
          expect(key.copy().take(now - back, cost)).toBe(false);
        });
      }),
      runs,
    );
  });

  it("keeps the promise of a refusal, within one longest wait", () => {
    fc.assert(
      fc.property(wild, step, (history, { back, cost }) => {
        const [key, end] = live(specimen, history);
        const now = end - back;
        if (cost > most(key.policy) || key.take(now, cost)) return;
        const { retryAfter } = key.view(now, cost);
        expect(retryAfter).toBeLessThanOrEqual(longestWait(key.policy));
        // Retried again and again meanwhile, as by a client that ignores waits.
        const stubborn = key.copy();
        if (!key.policy.countRefused) {
          for (let ms = 0; ms < retryAfter; ms++) expect(stubborn.take(now + ms, cost)).toBe(false);
          expect(stubborn.take(now + retryAfter, cost)).toBe(true);
        }
        expect(key.take(now + retryAfter, cost)).toBe(true);
      }),
      runs,
    );
  });

  it("is as if it had never been once everything has left", () => {
    fc.assert(
      fc.property(wild, step, (history, { back }) => {
        const [key, end] = live(specimen, history);
        const full = most(key.policy);
        if (full === 0) return;
        key.take(end - back, 1);
        expect(key.take(end - back + longestWait(key.policy), full)).toBe(true);
      }),
      runs,
    );
  });
});
