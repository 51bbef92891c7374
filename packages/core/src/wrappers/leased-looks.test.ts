import { describe, expect, it, test } from "vitest";
import { distantStore } from "../../test/leases/distant-store.ts";
import { network } from "../../test/leases/network.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Store, Taken } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { leasedStore } from "./leased-store.ts";

const size = { name: "p", limit: 100, window: "1m", algorithm: "fixed-window" } as const;
const fixed = policyOf({ algorithm: "fixed-window", limit: 100, window: 60_000 });

describe("a look", () => {
  it("gives back what is held for too long, as other requests do", async () => {
    const { clock, store, calls } = distantStore();
    const leased = leasedStore(store, { clock, share: 0.5 });
    for (let i = 0; i < 20; i++) await leased.take([chargeOf(fixed)], true);
    clock.advance(1000);
    await leased.take([{ ...chargeOf(fixed), key: "another" }], false);
    expect(calls.given).toBe(1);
  });

  it.each([
    [80, true],
    [81, false],
  ])("at %i units of a key counts what is held as unused: %s", async (cost, fits) => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock, share: 0.5 });
    for (let i = 0; i < 20; i++) await leased.take([chargeOf(fixed)], true);
    const look = [chargeOf(fixed, cost)];
    expect((await inner.take(look, false)).fits).toEqual([false]);
    const taken = await leased.take(look, false);
    expect(taken.fits).toEqual([fits]);
    expect(taken.states[0]![2]).toBe(20);
  });

  it("counts it as unused for another size too", async () => {
    const { clock, store } = distantStore();
    const leased = leasedStore(store, { clock, share: 0.5 });
    const wide = createLimiter({ ...size, store: leased });
    for (let i = 0; i < 20; i++) await wide.check("k");
    const narrow = createLimiter({ ...size, limit: 60, store: leased });
    const told = { allowed: true, retryAfter: 0 };
    expect(await narrow.peek("k", { cost: 40 })).toMatchObject({ ...told, remaining: 40 });
    expect(await narrow.check("k", { cost: 40 })).toMatchObject({ ...told, remaining: 0 });
  });

  it("sees what others charged meanwhile, as does the next request", async () => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock, share: 0.5 });
    const [here, there] = [leased, inner].map((one) => createLimiter({ ...size, store: one }));
    for (let i = 0; i < 20; i++) await here!.check("k");
    await there!.check("k", { cost: 30 });
    expect((await here!.peek("k")).remaining).toBe(50);
  });
});

describe("what remains", () => {
  it("is exact after requests at the same time, most of which asked the store", async () => {
    const { clock, store, calls } = distantStore();
    const options = { ...size, limit: 10_000, store: leasedStore(store, { clock }) };
    const limiter = createLimiter(options);
    for (let i = 0; i < 64; i++) await limiter.check("k");
    await limiter.check("k", { cost: 900 });
    calls.taken = 0;
    const told = await Promise.all(Array.from({ length: 1000 }, () => limiter.check("k")));
    expect(calls.taken).toBeGreaterThan(500);
    expect(Math.min(...told.map(({ remaining }) => remaining))).toBe(8036);
    expect((await limiter.check("k")).remaining).toBe(8035);
  });
});

describe("a store that answers by thenables", () => {
  test.each([
    ["looks", fixed, false],
    ["requests that may be leased", fixed, true],
    ["requests that may not", policyOf({ algorithm: "sliding-log", limit: 9, window: 1000 }), true],
  ])("answers %s by a promise", async (_, policy, keep) => {
    const inner = memoryStore({ clock: manualClock() });
    const store: Store = { ...inner, take: (...call) => thenable(inner.take(...call)) };
    const taken = leasedStore(store).take([chargeOf(policy)], keep);
    expect(taken).toBeInstanceOf(Promise);
    expect((await taken).fits).toEqual([true]);
  });
});

describe("a reset", () => {
  /** Leases on a store behind a network that is slow from now on, and hold some units. */
  async function slow() {
    const clock = manualClock();
    const inner = memoryStore({ clock });
    const net = network(inner);
    net.isQuick = true;
    const store = leasedStore(net.store, { clock, share: 0.5 });
    for (let i = 0; i < 40; i++) await store.take([chargeOf(fixed)], true);
    net.isQuick = false;
    return { net, inner, store };
  }

  it("leaves nothing to spend while it is under way", async () => {
    const { net, store } = await slow();
    const reset = store.reset(fixed, "k");
    const taken = store.take([chargeOf(fixed)], true);
    expect(taken).toBeInstanceOf(Promise);
    await net.settle();
    await reset;
    expect((await taken).states[0]![2]).toBe(1);
  });

  it("leaves nothing to spend of what was charged while it was under way", async () => {
    const { net, inner, store } = await slow();
    const reset = store.reset(fixed, "k");
    // These overtake it.
    for (let i = 0; i < 8; i++) {
      const taken = store.take([chargeOf(fixed)], true);
      if (!(taken instanceof Promise)) continue;
      net.deliver(1);
      net.answer();
      await taken;
    }
    await net.settle();
    await reset;
    expect((await store.take([chargeOf(fixed)], true)).states[0]![2]).toBe(1);
    await store.close!();
    expect(usedOf(inner)).toBe(1);
  });

  it("is followed by no refund of units that were charged before it", async () => {
    const { net, inner, store } = await slow();
    let taken = store.take([chargeOf(fixed)], true);
    while (!(taken instanceof Promise)) taken = store.take([chargeOf(fixed)], true);
    net.deliver();
    const reset = store.reset(fixed, "k");
    net.deliver();
    await inner.take([chargeOf(fixed, 50)], true);
    await net.settle();
    await Promise.all([taken, reset]);
    await store.close!();
    expect(usedOf(inner)).toBe(50);
  });
});

function chargeOf(policy: Policy, cost = 1): Charge {
  return { policy, key: "k", cost };
}

function usedOf(store: Store): number {
  return (store.take([chargeOf(fixed)], false) as Taken).states[0]![2]!;
}

/** Returns a thenable whose `then` returns nothing. */
function thenable<T>(value: T): Promise<T> {
  const then = (resolve: (value: T) => void): void => resolve(value);
  return { then } as unknown as Promise<T>;
}
