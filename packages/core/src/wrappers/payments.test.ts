import { describe, expect, it, test } from "vitest";
import { distantStore } from "../../test/leases/distant-store.ts";
import { network } from "../../test/leases/network.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import type { Policy } from "../policy.ts";
import type { Charge, Store } from "../store.ts";
import { type Account, type Accounts, createAccounts } from "./accounts.ts";
import { denyCache } from "./deny-cache.ts";
import type { Lease } from "./lease.ts";
import { leasedStore } from "./leased-store.ts";
import { createPay } from "./payments.ts";

const size = { name: "p", limit: 10_000, window: "1m", algorithm: "fixed-window" } as const;
const wide = policyOf({ algorithm: "fixed-window", space: "wide", limit: 10_000, window: 60_000 });
const narrow = policyOf({ algorithm: "fixed-window", space: "narrow", limit: 20, window: 60_000 });

describe("nobody is refused for units that another request of the process holds:", () => {
  it.each([
    [[1, 1999]],
    [[1999, 1]],
    [[1, 1990, 9]],
    [[1, 700, 700, 599]],
    [[1, 1989, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
  ])("costs of %j pass at the same time where 2000 are left", async (costs) => {
    for (const share of [0.01, 0.5, 1]) {
      const { clock, store } = distantStore();
      const leased = leasedStore(store, { clock, share });
      for (const one of [leased, denyCache(leased, { clock })]) {
        const limiter = createLimiter({ ...size, store: one });
        for (let i = 0; i < 40; i++) await limiter.check("k", { cost: 200 });
        clock.advance(1000);
        const told = await Promise.all(costs.map((cost) => limiter.check("k", { cost })));
        expect(told.map(({ allowed }) => allowed)).toEqual(costs.map(() => true));
        await limiter.reset("k");
      }
    }
  });

  it.each([0.05, 0.2, 0.5, 1])("all of the limit is used with a share of %d", async (share) => {
    const { clock, store } = distantStore();
    const limiter = createLimiter({
      ...size,
      limit: 100,
      store: leasedStore(store, { clock, share }),
    });
    let admitted = 0;
    for (let i = 0; i < 8; i++) {
      const told = await Promise.all(Array.from({ length: 14 }, () => limiter.check("k")));
      admitted += told.filter(({ allowed }) => allowed).length;
    }
    expect(admitted).toBe(100);
  });
});

describe("a request that is refused asks again", () => {
  it("without more, if others have used what was left", async () => {
    const { clock, store, inner, calls } = distantStore();
    const leased = leasedStore(store, { clock, share: 1 });
    const take = (charges: readonly Charge[]) => leased.take(charges, true);
    for (let i = 0; i < 20; i++) await take([charge(wide)]);
    for (let i = 0; i < 10; i++) await take([charge(narrow)]);
    await inner.take([charge(narrow, 9)], true);
    calls.units.length = 0;
    // The other charge fits both times.
    expect((await take([charge(wide), charge(narrow)])).fits).toEqual([true, true]);
    expect(calls.units).toEqual([1, 11, 1, 1]);
    expect((await take([charge(wide), charge(narrow)])).fits).toEqual([true, false]);
  });

  test.each<readonly [string, fits: readonly boolean[], Meanwhile[], calls: number]>([
    ["not if nothing came back", [false, false], [], 1],
    ["if units of each key came back", [false, false], [returned(0, 1)], 2],
    ["not if units of only one key came back", [false, false], [returned(0)], 1],
    ["if units of the only key came back that refused", [true, false], [returned(1)], 2],
    ["if units of it are held by now", [true, false], [held(5, 1)], 2],
    ["not if these were all spent", [true, false], [held(0, 1)], 1],
    ["only so often, if units come back each time", [true, false], Array(9).fill(returned(1)), 4],
  ])("%s", async (_, fits, events, calls) => {
    const { asked, taken } = await answered(fits, events);
    expect(asked).toBe(calls);
    expect(taken.fits).toEqual(fits);
  });

  it("not if all is held by then, which pays", async () => {
    const { asked, taken, payers } = await answered([true, false], [held(20, 0, 1)]);
    expect(asked).toBe(1);
    expect(taken.fits).toEqual([true, true]);
    expect(payers.map(({ lease }) => lease!.held)).toEqual([10, 10]);
  });

  it("and stays refused after the last call, although all is held by then: nothing was charged", async () => {
    const events = [...Array(3).fill(returned(0, 1)), held(9, 0, 1)];
    const { asked, taken } = await answered([false, false], events);
    expect([asked, taken.fits]).toEqual([4, [false, false]]);
    const more = [...Array(3).fill(returned(0, 1)), held(20, 0, 1)];
    expect((await answered([false, false], more)).taken.fits).toEqual([false, false]);
  });

  it("and gives back only units of what refused", async () => {
    const enough: Meanwhile = (...both) =>
      [held(20, 0), held(5, 1)].map((happen) => happen(...both));
    const { payers, refunds } = await answered([true, false], [enough]);
    expect(refunds).toEqual(["narrow"]);
    expect(payers.map(({ lease }) => lease?.held)).toEqual([20, undefined]);
  });
});

describe("a request of which one charge could be paid from a lease", () => {
  it("asks for exactly this charge's cost, and leaves the lease as it is", async () => {
    const { clock, store, inner, calls } = distantStore();
    const leased = leasedStore(store, { clock });
    for (let i = 0; i < 64; i++) await leased.take([charge(wide)], true);
    calls.units.length = 0;
    for (let i = 0; i < 12; i++) await leased.take([charge(wide), charge(narrow)], true);
    expect(calls.units).toEqual(new Array(24).fill(1));
    const { taken } = calls;
    await leased.take([charge(wide)], true);
    expect(calls.taken).toBe(taken);
    await leased.close!();
    const { states } = await inner.take([charge(wide, 0)], false);
    expect(states[0]![2]).toBe(77);
  });
});

describe("a request with a key that is too quiet to be leased", () => {
  it("charges nothing in advance for its other keys, which it could not use", async () => {
    const { clock, store, calls } = distantStore();
    const leased = leasedStore(store, { clock });
    for (let i = 0; i < 200; i++) {
      clock.advance(1);
      await leased.take([charge(wide), { ...charge(narrow), key: `quiet ${i % 50}` }], true);
    }
    expect(calls).toMatchObject({ taken: 200, given: 0, units: new Array(400).fill(1) });
    // Nor does it stop others from doing so.
    await leased.take([charge(wide)], true);
    expect(calls.units.at(-1)).toBeGreaterThan(10);
  });

  it("is paid from leases once that key is busy too", async () => {
    const { clock, store, calls } = distantStore();
    const leased = leasedStore(store, { clock });
    const both = [charge(wide), { ...charge(wide), key: "other" }];
    for (let i = 0; i < 200; i++) await leased.take(both, true);
    expect(calls.taken).toBeLessThan(60);
  });
});

describe("what is known of a held key", () => {
  it("is its latest state, though answers overtake each other", async () => {
    const { clock, inner } = distantStore();
    const net = network(inner);
    net.isQuick = true;
    const leased = leasedStore(net.store, { clock });
    for (let i = 0; i < 64; i++) await leased.take([charge(wide)], true);
    net.isQuick = false;
    const pending = [1, 2].map(() => {
      clock.advance(1);
      const taken = leased.take([charge(wide), charge(narrow)], true);
      net.deliver();
      return taken;
    });
    net.answer(1);
    net.answer();
    await Promise.all(pending);
    const taken = await leased.take([charge(wide)], true);
    expect(taken.states[0]![2]).toBe(67);
  });

  it("is told with no earlier time than its own, however slow the process's clock", async () => {
    const { clock, store } = distantStore();
    const leased = leasedStore(store, { clock: () => 0 });
    for (let i = 0; i < 64; i++) await leased.take([charge(wide)], true);
    clock.advance(10);
    await leased.take([charge(wide), charge(narrow)], true);
    expect((await leased.take([charge(wide)], true)).now).toBe(clock());
  });
});

/** What happens in the process while the store is asked. */
type Meanwhile = (accounts: Accounts, payers: readonly Account[]) => void;

function returned(...which: readonly number[]): Meanwhile {
  return (_, payers) => {
    for (const i of which) payers[i]!.timesGivenBack++;
  };
}

/** Other requests have charged units in advance. */
function held(units: number, ...which: readonly number[]): Meanwhile {
  return (accounts, payers) => {
    for (const i of which) accounts.keep(payers[i]!, leaseOf(payers[i]!.policy, units));
  };
}

/** Pays for a request that costs 10 of two policies, of which a store always refuses the same. */
async function answered(fits: readonly boolean[], events: readonly Meanwhile[]) {
  const charges = [charge(wide, 10), charge(narrow, 10)];
  const refunds: string[] = [];
  let asked = 0;
  const store = {
    async take() {
      events[asked++]?.(accounts, payers);
      const states = charges.map(({ policy }, i) => [0, 60_000, fits[i] ? 20 : policy.limit, 0]);
      return { now: 0, fits, states };
    },
    give: ({ charges }) => void refunds.push(...charges.map(({ policy }) => policy.space)),
  } satisfies Partial<Store> as Partial<Store> as Store;
  const accounts = createAccounts({ store, share: 1, maxAge: 1000, maxKeys: 9 });
  const payers = charges.map((one) => accounts.of(one, one.policy.space, 0));
  const taken = await createPay({ store, accounts, clock: () => 0 })(charges, payers, 0);
  return { asked, taken, payers, refunds };
}

function leaseOf(policy: Policy, units: number): Lease {
  const left = [0, 60_000, units, 0];
  const times = { now: 0, asked: 0, heard: 0, ends: 60_000 };
  return { policy, key: "k", left, ...times, held: units, seen: [...left], seenAt: 0 };
}

function charge(policy: Policy, cost = 1): Charge {
  return { policy, key: "k", cost };
}
