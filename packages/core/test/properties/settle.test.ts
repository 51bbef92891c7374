import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type BareKey, bareKey } from "./bare-key.ts";
import { histories, live } from "./history.ts";
import { specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 150 };
const later = [0, 1, 7, 30, 120];

interface Charged {
  readonly at: number;
  readonly cost: number;
  readonly left: number[];
}

describe.each(specimens)("settling a charge of $name", (specimen) => {
  const charging = {
    ...specimen,
    policy: specimen.policy.filter(({ countRefused }) => !countRefused),
  };

  it("at once for less is as if that had been charged", () => {
    fc.assert(
      fc.property(histories(charging, { back: true }), fc.nat(), (history, part) => {
        live(charging, history, ({ key, before, now, cost, fits, behind }) => {
          if (!fits || cost === 0 || behind) return;
          const spare = part % (cost + 1);
          const settled = key.copy();
          settled.give(now, spare, now, key.report(now, cost));
          const charged = before.copy();
          charged.take(now, cost - spare);
          expect(settled.view(now, 1)).toEqual(charged.view(now, 1));
        });
      }),
      runs,
    );
  });

  // Without the charge that started it, a key's own window has another position, and other charges fit.
  const elsewhere = specimen.name === "fixed-window by first-request";
  it.skipIf(elsewhere)("later for less leaves no more than if that had been charged", () => {
    const past = fc.record({
      history: histories(charging),
      chosen: fc.nat(),
      part: fc.nat(),
      after: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(past, ({ history, chosen, part, after }) => {
        const charges: Charged[] = [];
        const [key, end] = live(charging, history, ({ key, now, cost, fits }) => {
          if (fits && cost > 0) charges.push({ at: now, cost, left: key.report(now, cost) });
        });
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const spare = part % (charge.cost + 1);
        const now = end + after;
        const less = bareKey(history.policy);
        for (const other of charges) {
          expect(less.take(other.at, other === charge ? other.cost - spare : other.cost)).toBe(
            true,
          );
        }
        const kept = key.copy();
        key.give(now, spare, charge.at, charge.left);
        for (const ms of later) {
          const left = largest(key, now + ms);
          expect(left).toBeLessThanOrEqual(largest(less, now + ms));
          expect(left).toBeLessThanOrEqual(largest(kept, now + ms) + spare);
          expect(left).toBeGreaterThanOrEqual(largest(kept, now + ms));
        }
      }),
      runs,
    );
  });

  it("for more takes what is missing, or all that is left", () => {
    fc.assert(
      fc.property(
        histories(specimen),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 90 }),
        (history, missing, after) => {
          const [key, end] = live(specimen, history);
          const now = end + after;
          const { policy } = key;
          const had = largest(key, now);
          key.policy = policy.settling();
          key.take(now, Math.min(missing, policy.maxCost));
          key.policy = policy;
          expect(largest(key, now)).toBe(Math.max(0, had - missing));
          for (const slot of key.slots) expect(Number.isSafeInteger(slot) && slot >= 0).toBe(true);
        },
      ),
      runs,
    );
  });
});

/** Returns the largest cost that fits. */
function largest(key: BareKey, now: number): number {
  let cost = 0;
  while (key.copy().take(now, cost + 1)) cost++;
  return cost;
}
