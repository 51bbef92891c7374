import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Ban } from "../../src/policies/ban.ts";
import type { Policy } from "../../src/policy.ts";
import { bannedSpecimens, bans } from "./banned-specimens.ts";
import { type BareKey, bareKey } from "./bare-key.ts";
import { fitsAt, keepsCommonPromises } from "./common-promises.ts";
import { histories, live } from "./history.ts";
import { resized, type Specimen, specimens } from "./specimens.ts";

// Much work, perhaps on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const runs = { numRuns: 150 };

describe.each(bannedSpecimens)("$name", (specimen) => {
  const { most, longestWait } = specimen;
  const wild = histories(specimen, { back: true, changes: true });

  keepsCommonPromises(specimen, runs);

  it("refuses at every millisecond before retryAfter and allows at it", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost, fits, behind }) => {
          // A look does not record that the clock stepped back.
          if (fits || (cost === 0 && behind)) return;
          const { retryAfter } = key.view(now, cost);
          if (cost > most(key.policy)) return expect(retryAfter).toBe(Infinity);
          expect(retryAfter).toBeGreaterThan(0);
          expect(retryAfter).toBeLessThanOrEqual(longestWait(key.policy));
          refusedFor(key, now, retryAfter, cost);
          expect(fitsAt(key, now + retryAfter, cost), `at ${retryAfter}`).toBe(true);
        });
      }),
      runs,
    );
  });

  it("tells of a block that nothing remains, not even a look", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now }) => {
          const { blocked = false, remaining, retryAfter, resetAfter } = key.view(now, 0);
          expect(blocked).toBe(retryAfter > 0);
          expect(resetAfter).toBeGreaterThanOrEqual(retryAfter);
          if (blocked) expect([remaining, key.view(now, 1).delay]).toEqual([0, 0]);
          const before = [...key.slots];
          expect(key.take(now, 0)).toBe(!blocked);
          expect(key.slots).toEqual(before);
        });
      }),
      runs,
    );
  });

  it("keeps a block as it is when a charge is given back", () => {
    const story = fc.record({ history: wild, of: fc.nat() });
    fc.assert(
      fc.property(story, ({ history, of }) => {
        const charges: [at: number, cost: number, left: number[]][] = [];
        live(specimen, history, ({ key, now, cost, fits }) => {
          if (fits && cost > 0) charges.push([now, cost, key.report(now, cost)]);
          const charge = charges[of % charges.length];
          if (!charge) return;
          const given = key.copy();
          const [at, units, left] = charge;
          given.give(now, units, at, left);
          expect(given.view(now, 0).retryAfter).toBe(key.view(now, 0).retryAfter);
          expect(given.expires(now)).toBeLessThanOrEqual(key.expires(now));
          if (key.view(now, 0).blocked) expect(given.take(now, 1)).toBe(false);
        });
      }),
      runs,
    );
  });

  it("keeps whole numbers, for as long as it tells of them", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost, asked }) => {
          for (const slot of [...key.slots, ...key.report(now, cost)]) {
            expect(Number.isSafeInteger(slot) && slot >= 0).toBe(true);
          }
          const { resetAfter } = key.view(now, 1);
          if (asked && resetAfter > 0)
            expect(key.expires(now)).toBeGreaterThanOrEqual(now + resetAfter);
        });
      }),
      runs,
    );
  });

  it("takes what is settled whatever is banned, and bans nobody for it", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ key, now, cost }) => {
          const told = key.view(now, 0);
          const settled = key.copy();
          settled.policy = key.policy.settling();
          settled.take(now, Math.min(cost + 1, most(key.policy)));
          settled.policy = key.policy;
          expect(settled.view(now, 0).blocked).toBe(told.blocked);
          expect(settled.view(now, 0).retryAfter).toBe(told.retryAfter);
        });
      }),
      runs,
    );
  });
});

describe.each(specimens)("bans of $name", (specimen) => {
  it("are those of a model that remembers times and levels, and asks the same algorithm", () => {
    const story = histories(specimen).chain((history) =>
      fc.record({ history: fc.constant(history), ban: bans }),
    );
    fc.assert(
      fc.property(story, ({ history, ban }) => {
        const key = bareKey(banned(specimen, history.policy, ban));
        const model = modelOf(history.policy, ban);
        let now = history.start;
        for (const { moved, cost } of history.steps) {
          now += moved;
          expect([key.take(now, cost), key.view(now, cost).retryAfter]).toEqual([
            model.take(now, cost),
            model.retryAfter(now, cost),
          ]);
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** Creates bans as documented in docs/bans.md, around a key without bans. */
function modelOf(policy: Policy, { after, within = policy.window, durations, extend }: Ban) {
  const key = bareKey(policy);
  let refusals = 0;
  let since = 0;
  let until = 0;
  let level = 0;
  const lengthOf = (step: number): number => durations[Math.min(step, durations.length - 1)]!;

  function begin(now: number): void {
    until = now + lengthOf(level);
    level++;
    refusals = 0;
  }

  return {
    take(now: number, cost: number): boolean {
      if (now < until) {
        if (extend && cost > 0) begin(now);
        return false;
      }
      if (key.take(now, cost)) return true;
      if (level > 0 && now >= until + Math.max(lengthOf(level - 1), within)) level = 0;
      if (now >= since + within) refusals = 0;
      if (refusals === 0) since = now;
      refusals++;
      if (refusals >= after) begin(now);
      return false;
    },
    retryAfter: (now: number, cost: number): number =>
      Math.max(until - now, key.view(now, cost).retryAfter, 0),
  };
}

function banned({ most }: Specimen, policy: Policy, ban: Ban): Policy {
  return resized(policy, policy.limit, most(policy), ban);
}

function refusedFor(key: BareKey, now: number, wait: number, cost = 1): void {
  for (let ms = 0; ms < wait; ms++) {
    expect(fitsAt(key, now + ms, cost), `at ${ms} of ${wait}`).toBe(false);
  }
}
