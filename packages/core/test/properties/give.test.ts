import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Policy } from "../../src/policy.ts";
import { type BareKey, bareKey } from "./bare-key.ts";
import { histories, live } from "./history.ts";
import { type Passed, resized, specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 200 };
const later = [0, 1, 7, 30, 120];

interface Charged extends Passed {
  readonly policy: Policy;
  readonly left: number[];
  /** When nothing of it can be left, whatever else is charged. */
  readonly gone: number;
}

describe.each(specimens)("give of $name", (specimen) => {
  const charging = {
    ...specimen,
    policy: specimen.policy.filter(({ countRefused }) => !countRefused),
  };
  const past = fc.record({
    history: histories(charging),
    chosen: fc.nat(),
    after: fc.integer({ min: 0, max: 90 }),
  });

  it("undoes a charge that was just made", () => {
    fc.assert(
      fc.property(histories(charging, { back: true }), (history) => {
        live(charging, history, ({ key, before, now, cost, fits, behind }) => {
          if (!fits || cost === 0 || behind) return;
          const given = key.copy();
          given.give(now, cost, now, key.report(now, cost));
          expect(given.view(now, 1)).toEqual(before.view(now, 1));
        });
      }),
      runs,
    );
  });

  // Without the charge that started it, a key's own window has another position, and other charges fit.
  const elsewhere = specimen.name === "fixed-window by first-request";
  it.skipIf(elsewhere)("holds no more afterwards than if it had never been charged", () => {
    fc.assert(
      fc.property(past, ({ history, chosen, after }) => {
        const [charges, key, end] = chargesIn(history);
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const now = end + after;
        const never = bareKey(history.policy);
        for (const other of charges) {
          if (other !== charge) expect(never.take(other.at, other.cost)).toBe(true);
        }
        key.give(now, charge.cost, charge.at, charge.left);
        for (const ms of later) {
          expect(largest(key, now + ms)).toBeLessThanOrEqual(largest(never, now + ms));
        }
      }),
      runs,
    );
  });

  // A bucket drains at the rate of its last write, and a charge is a write.
  const drains = specimen.name.endsWith("bucket");
  it.skipIf(elsewhere || drains)("holds no more than that where the limit moved meanwhile", () => {
    const successor = (policy: Policy) =>
      fc.integer({ min: 0, max: 9 }).map((limit) => resized(policy, limit));
    const changing = histories({ ...charging, successor }, { changes: true });
    fc.assert(
      fc.property(changing, fc.nat(), (history, chosen) => {
        const [charges, key, now] = chargesIn(history);
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const { policy } = key;
        const never = bareKey(history.policy);
        for (const other of charges) {
          never.policy = other.policy;
          if (other !== charge) expect(never.take(other.at, other.cost)).toBe(true);
        }
        key.policy = charge.policy;
        key.give(now, charge.cost, charge.at, charge.left);
        key.policy = policy;
        never.policy = policy;
        for (const ms of later) {
          expect(largest(key, now + ms)).toBeLessThanOrEqual(largest(never, now + ms));
        }
      }),
      runs,
    );
  });

  it("gives at most what was taken, and takes nothing", () => {
    fc.assert(
      fc.property(past, ({ history, chosen, after }) => {
        const [charges, key, end] = chargesIn(history);
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const now = end + after;
        const kept = key.copy();
        key.give(now, charge.cost, charge.at, charge.left);
        for (const ms of later) {
          const had = largest(kept, now + ms);
          expect(largest(key, now + ms)).toBeGreaterThanOrEqual(had);
          expect(largest(key, now + ms)).toBeLessThanOrEqual(had + charge.cost);
        }
      }),
      runs,
    );
  });

  it("changes nothing once the charge has left", () => {
    fc.assert(
      fc.property(past, ({ history, chosen, after }) => {
        const [charges, key, end] = chargesIn(history);
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const now = Math.max(end + after, charge.gone);
        const kept = key.copy();
        key.give(now, charge.cost, charge.at, charge.left);
        for (const ms of later) expect(largest(key, now + ms)).toBe(largest(kept, now + ms));
      }),
      runs,
    );
  });

  it("never makes a key out of nothing, nor numbers that are no numbers", () => {
    fc.assert(
      fc.property(past, ({ history, chosen, after }) => {
        const [charges, key, end] = chargesIn(history);
        const charge = charges[chosen % charges.length];
        if (!charge) return;
        const fresh = bareKey(history.policy);
        const nothing = [...fresh.slots];
        fresh.give(end + after, charge.cost, charge.at, charge.left);
        expect(fresh.slots).toEqual(nothing);
        for (let times = 0; times < 3; times++) {
          key.give(end - 40 * times, charge.cost, charge.at, charge.left);
          for (const slot of key.slots) expect(Number.isSafeInteger(slot) && slot >= 0).toBe(true);
        }
      }),
      runs,
    );
  });

  function chargesIn(history: Parameters<typeof live>[1]): [Charged[], BareKey, number] {
    const charges: Charged[] = [];
    const [key, end] = live(charging, history, ({ key, now, cost, fits }) => {
      if (!fits || cost === 0) return;
      charges.push({
        policy: key.policy,
        at: now,
        cost,
        left: key.report(now, cost),
        gone: key.expires(now),
      });
    });
    return [charges, key, end];
  }
});

/** Returns the largest cost that fits. */
function largest(key: BareKey, now: number): number {
  let cost = 0;
  while (key.copy().take(now, cost + 1)) cost++;
  return cost;
}
