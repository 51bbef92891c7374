import { describe, expect, it, test } from "vitest";
import { policyOf } from "../../test/properties/specimens.ts";
import { isUsable, type Lease, receiptFrom, refundOf, tagPaidBy, withoutHeld } from "./lease.ts";

const policy = policyOf({ algorithm: "fixed-window", limit: 100, window: 1000 });

/** A lease of 5 units, charged with one more at 3000 of the store's clock; 9 were used before. */
function lease(more: Partial<Lease> = {}): Lease {
  const left = [3000, 1000, 15, 0];
  const times = { now: 3000, asked: 70, heard: 80, ends: 4000 };
  return { policy, key: "k", left, ...times, held: 5, seen: [...left], seenAt: 3000, ...more };
}

describe("a lease may be spent", () => {
  test.each([
    // Up to 2 ms for two clocks that are rounded down, and 1 for the drift of one.
    ["well before its end", 70 + 500, 5000, true],
    ["as long as its end cannot have come", 70 + 996, 5000, true],
    ["not once its end may have come", 70 + 997, 5000, false],
    ["not after its end", 70 + 1000, 5000, false],
    ["while it is young enough", 70 + 99, 100, true],
    ["not when it is as old as that", 70 + 100, 100, false],
    ["not while the clock is behind", 69, 5000, false],
  ])("%s", (_, local, maxAge, usable) => {
    expect(isUsable(lease(), local, maxAge)).toBe(usable);
  });

  it("until the clocks may have drifted apart", () => {
    const long = lease({ ends: 3000 + 100_000 });
    const last = 70 + 99_897;
    expect(isUsable(long, last, 1e9)).toBe(true);
    expect(isUsable(long, last + 1, 1e9)).toBe(false);
  });
});

describe("what a client has used", () => {
  it.each([
    [5, 10],
    [1, 14],
    [0, 15],
  ])("is without the %i units that a lease holds", (held, used) => {
    const state = [3000, 1000, 15, 0];
    expect(withoutHeld(state, 3500, lease({ held }))).toEqual([3000, 1000, used, 0]);
    expect(state).toEqual([3000, 1000, 15, 0]);
  });
});

describe("the receipt of a state", () => {
  it("that the store left is its own", () => {
    expect(refundOf([3000, 1000, 15, 0], 1)).toBeUndefined();
  });

  it("that a lease paid is of the lease's call, with the state before what was for later", () => {
    const grant = lease();
    const shown = tagPaidBy([3000, 1000, 10, 0], grant, 5);
    expect(refundOf(shown, 1)).toEqual({
      charges: [{ policy, key: "k", cost: 1 }],
      now: 3000,
      fits: [true],
      states: [[3000, 1000, 10, 0]],
    });
  });

  it("has the very state that the store left, if nothing was for later", () => {
    const grant = lease();
    expect(receiptFrom(grant, 5).states[0]).toBe(grant.left);
  });
});
