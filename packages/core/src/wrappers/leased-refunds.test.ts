import { describe, expect, it } from "vitest";
import { distantStore } from "../../test/leases/distant-store.ts";
import { noUnhandledRejections } from "../../test/leases/unhandled-rejections.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { Charge, Receipt, Store, Taken } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { leasedStore } from "./leased-store.ts";

const size = { name: "p", limit: 10_000, window: "1m" } as const;
const algorithms = ["fixed-window", "sliding-window", "token-bucket"] as const;

describe("a refund", () => {
  it.each(algorithms)("of what a lease paid reaches the store, by a %s", async (algorithm) => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock });
    const limiter = createLimiter({ ...size, algorithm, store: leased });
    const decisions = [];
    for (let i = 0; i < 100; i++) decisions.push(await limiter.check("k"));
    for (const decision of decisions.slice(0, 40)) await limiter.give(decision);
    await decisions[50]!.settle(0);
    await leased.close!();
    const truly = createLimiter({ ...size, algorithm, store: inner });
    expect((await truly.peek("k")).remaining).toBe(10_000 - 100 + 41);
  });

  it("is for each charge what its own lease took", async () => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock });
    const policies = [
      { ...size, name: "a" },
      { ...size, name: "b", limit: 500 },
    ];
    const limiter = createLimiter({ policies, store: leased });
    const decisions = [];
    for (let i = 0; i < 60; i++) decisions.push(await limiter.check("k"));
    for (const decision of decisions) await limiter.give(decision);
    await leased.close!();
    const truly = createLimiter({ policies, store: inner });
    const { statuses } = await truly.peek("k");
    expect(statuses.map(({ remaining }) => remaining)).toEqual([10_000, 500]);
  });

  it.each(algorithms)("is seen by the next request, by a %s", async (algorithm) => {
    const { clock, store } = distantStore();
    const limiter = createLimiter({ ...size, algorithm, store: leasedStore(store, { clock }) });
    const decisions = [];
    for (let i = 0; i < 60; i++) decisions.push(await limiter.check("k"));
    // The first ones were paid by the store, the others by leases; it still holds some units.
    for (const decision of decisions.slice(0, 20)) await limiter.give(decision);
    const remaining = [];
    for (const ask of ["peek", "check", "check", "peek"] as const) {
      remaining.push((await limiter[ask]("k")).remaining);
    }
    expect(remaining).toEqual([9960, 9959, 9958, 9958]);
  });

  it("of a token bucket never makes room for more than the burst", async () => {
    const clock = manualClock();
    const inner = memoryStore({ clock });
    const leased = leasedStore(inner, { clock, share: 1 });
    const bucket = { ...size, limit: 60, algorithm: "token-bucket" } as const;
    const limiter = createLimiter({ ...bucket, store: leased });
    const decisions = [];
    for (let i = 0; i < 30; i++) decisions.push(await limiter.check("k"));
    await leased.close!();
    // Of the thirty tokens, only those charged last are still missing.
    clock.advance(25_000);
    const other = createLimiter({ ...bucket, store: inner });
    let admitted = 0;
    while ((await other.check("k")).allowed) admitted++;
    expect(admitted).toBe(55);
    for (const decision of decisions) await limiter.give(decision);
    while ((await other.check("k")).allowed) admitted++;
    expect(admitted).toBe(60);
  });

  it("is nothing for a charge that did not fit, whoever paid the others", async () => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock });
    const charges = [charge("k")];
    const taken = await busy(leased, charges);
    const before = used(inner);
    await leased.give({ ...taken, charges, fits: [false] });
    expect(used(inner)).toBe(before);
    const next = await leased.take(charges, true);
    expect(next.states[0]![2]).toBe(taken.states[0]![2]! + 1);
  });
});

describe("a receipt of what several leases paid", () => {
  noUnhandledRejections();
  const charges = [charge("a"), charge("b")];

  /** Takes charges from leases, and returns the receipt and a store that refunds as told. */
  async function receiptOf(give: (receipt: Receipt) => void | Promise<void>) {
    const { clock, inner } = distantStore();
    const leased = leasedStore({ ...inner, give }, { clock, share: 0.5 });
    const taken = await busy(leased, charges);
    return { leased, receipt: { ...taken, charges } };
  }

  it("goes back in as many parts, and is done when all are", async () => {
    const answers: (() => void)[] = [];
    const keys: string[] = [];
    const { leased, receipt } = await receiptOf(({ charges }) => {
      keys.push(...charges.map(({ key }) => key));
      return new Promise((resolve) => void answers.push(resolve));
    });
    let isDone = false;
    const given = Promise.resolve(leased.give(receipt)).then(() => {
      isDone = true;
    });
    expect(keys).toEqual(["a", "b"]);
    for (const answer of answers) {
      expect(isDone).toBe(false);
      answer();
      await Promise.resolve();
    }
    await given;
  });

  it.each([
    ["reject", "reject"],
    ["reject", "throw"],
    ["throw", "reject"],
    ["throw", "throw"],
    ["return", "throw"],
    ["reject", "return"],
  ])("rejects where its parts %s and %s", async (...ways) => {
    let asked = 0;
    const { leased, receipt } = await receiptOf(() => {
      const way = ways[asked++]!;
      if (way === "throw") throw new Error("down");
      return way === "reject" ? Promise.reject(new Error("down")) : undefined;
    });
    await expect(leased.give(receipt)).rejects.toThrow("down");
    expect(asked).toBe(2);
  });
});

describe("a receipt of what one lease paid", () => {
  it("goes back synchronously where the store does so", async () => {
    const { clock, inner } = distantStore();
    const leased = leasedStore(inner, { clock });
    const charges = [charge("k")];
    const taken = await busy(leased, charges);
    expect(leased.give({ ...taken, charges })).toBeUndefined();
  });
});

function charge(key: string): Charge {
  const policy = policyOf({ algorithm: "fixed-window", limit: 10_000, window: 60_000 });
  return { policy, key, cost: 1 };
}

/** Takes charges so often that leases pay them, and returns the last answer. */
async function busy(store: Store, charges: readonly Charge[]): Promise<Taken> {
  for (let i = 0; i < 59; i++) await store.take(charges, true);
  return store.take(charges, true);
}

/** Returns how many units a store has counted of the key. */
function used(store: Store): number {
  return (store.take([charge("k")], false) as Taken).states[0]![2]!;
}
