import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { fitsAt, keepsCommonPromises } from "./common-promises.ts";
import { histories, live } from "./history.ts";
import { specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 250 };

describe.each(specimens)("$name", (specimen) => {
  const { most, longestWait } = specimen;
  const wild = histories(specimen, { back: true, changes: true });

  keepsCommonPromises(specimen, runs);

  it("refuses at every millisecond before retryAfter and allows at it", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost, fits }) => {
          if (fits) return;
          const { retryAfter } = key.view(now, cost);
          if (cost > most(key.policy)) return expect(retryAfter).toBe(Infinity);
          expect(retryAfter).toBeGreaterThan(0);
          expect(retryAfter).toBeLessThanOrEqual(longestWait(key.policy));
          for (let ms = 0; ms < retryAfter; ms++) {
            expect(fitsAt(key, now + ms, cost), `at ${ms} of ${retryAfter}`).toBe(false);
          }
          expect(fitsAt(key, now + retryAfter, cost), `at ${retryAfter}`).toBe(true);
        });
      }),
      runs,
    );
  });

  it("tells a look what a refused take is told", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, before, now, cost, fits }) => {
          if (fits || key.policy.countRefused) return;
          expect(before.view(now, cost)).toEqual(key.view(now, cost));
        });
      }),
      runs,
    );
  });

  it("is as good as never used at resetAfter, and not a millisecond earlier", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, asked }) => {
          const full = most(key.policy);
          const { resetAfter } = key.view(now, 1);
          if (!asked) return;
          expect(resetAfter).toBeLessThanOrEqual(longestWait(key.policy));
          expect(fitsAt(key, now + resetAfter, full)).toBe(true);
          if (resetAfter > 0) expect(fitsAt(key, now + resetAfter - 1, full)).toBe(false);
        });
      }),
      runs,
    );
  });

  it("does not expire before resetAfter", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, asked }) => {
          const { resetAfter } = key.view(now, 1);
          if (asked && resetAfter > 0)
            expect(key.expires(now)).toBeGreaterThanOrEqual(now + resetAfter);
        });
      }),
      runs,
    );
  });

  it("tells as remaining the largest cost that fits, up to the limit", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost, fits }) => {
          const { remaining } = key.view(now, cost);
          let largest = 0;
          while (fitsAt(key, now, largest + 1)) largest++;
          expect(remaining).toBe(Math.min(largest, key.policy.limit));
          if (!fits && cost === 1) expect(remaining).toBe(0);
        });
      }),
      runs,
    );
  });

  it("lets a cost of 0 look without a trace, and never fits more than there is", () => {
    fc.assert(
      fc.property(wild, (history) => {
        const [key, now] = live(specimen, history);
        for (const at of [now - 50, now, now + 50]) {
          const slots = [...key.slots];
          expect(key.take(at, 0)).toBe(true);
          expect(key.take(at, most(key.policy) + 1)).toBe(false);
          expect(key.take(at, Number.MAX_SAFE_INTEGER)).toBe(false);
          expect(key.slots).toEqual(slots);
          expect(key.view(at, 0).retryAfter).toBe(0);
        }
      }),
      runs,
    );
  });

  it("writes nothing where it refuses, unless the clock stepped back or refusals count", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, before, fits, behind }) => {
          if (!fits && !behind && !key.policy.countRefused) expect(key.slots).toEqual(before.slots);
        });
      }),
      runs,
    );
  });

  it("keeps whole numbers", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost }) => {
          for (const slot of [...key.slots, ...key.report(now, cost)]) {
            expect(Number.isSafeInteger(slot) && slot >= 0).toBe(true);
          }
        });
      }),
      runs,
    );
  });
});
