import fc from "fast-check";
import { expect, it } from "vitest";
import { type BareKey, bareKey } from "./bare-key.ts";
import { histories, live } from "./history.ts";
import type { Specimen } from "./specimens.ts";

/** Defines the tests of what every algorithm guarantees, with or without bans. */
export function keepsCommonPromises(specimen: Specimen, runs: { readonly numRuns: number }): void {
  const wild = histories(specimen, { back: true, changes: true });

  it("says retryAfter 0 exactly where a take would fit", () => {
    fc.assert(
      fc.property(wild, (history) => {
        live(specimen, history, ({ before, now, cost, fits }) => {
          expect(before.view(now, cost).retryAfter === 0).toBe(fits);
        });
      }),
      runs,
    );
  });

  it("may be forgotten when it expires: no later decision changes", () => {
    fc.assert(
      fc.property(histories(specimen, { changes: true }), (history) => {
        const kept: unknown[] = [];
        live(specimen, history, ({ key, now, cost, fits }) =>
          kept.push([fits, key.view(now, cost)]),
        );
        let forgetful = bareKey(history.policy);
        let now = history.start;
        const answers = history.steps.map(({ moved, cost, policy }) => {
          now += moved;
          const next = policy ?? forgetful.policy;
          if (forgetful.expires(now) <= now) forgetful = bareKey(next);
          forgetful.policy = next;
          return [forgetful.take(now, cost), forgetful.view(now, cost)];
        });
        expect(answers).toEqual(kept);
      }),
      runs,
    );
  });
}

/** Whether a cost fits at a time, on a copy of the key. */
export function fitsAt(key: BareKey, now: number, cost: number): boolean {
  return key.copy().take(now, cost);
}
