import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareKey } from "./bare-key.ts";
import { histories } from "./history.ts";
import { specimens } from "./specimens.ts";

describe.each(specimens)("what a state of $name usually holds", (specimen) => {
  it("is what it holds, while neither clock nor policy change", () => {
    fc.assert(
      fc.property(histories(specimen), ({ policy, start, steps }) => {
        const key = bareKey(policy);
        let now = start;
        for (const { moved, cost } of steps) {
          now += moved;
          key.take(now, cost);
          const { algorithm } = policy;
          const usual = algorithm.usual(policy.params(now), now);
          const slots = Array.from(key.slots);
          if (algorithm.layout(policy.params(now)).includes("ring")) expect(usual).toEqual([]);
          else expect(usual).toHaveLength(slots.length);
          usual.forEach((most, i) => {
            if (slots[i]! > most) expect.fail(`${slots[i]} in slot ${i}, and not at most ${most}`);
          });
        }
      }),
      { numRuns: 100 },
    );
  });
});
