import { describe, expect, it } from "vitest";
import { distantStore } from "../../test/leases/distant-store.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store, Taken } from "../store.ts";
import { fallbackStore } from "./fallback-store.ts";
import { leasedStore } from "./leased-store.ts";

const size = { name: "p", limit: 10_000, window: "1m" } as const;
const fixed = { algorithm: "fixed-window", window: 60_000 } as const;

function throws(): never {
  throw new Error("down");
}

const rejects = async (): Promise<never> => throws();

interface Breakable {
  readonly store: Store;
  isDown: boolean;
  /** The costs that it was asked for. */
  readonly units: number[];
}

/** Returns a store that fails when it is told to. */
function breakable(store: Store, fail: () => never | Promise<never> = throws): Breakable {
  const breakable: Breakable = {
    isDown: false,
    units: [],
    store: {
      ...store,
      take(charges, keep) {
        breakable.units.push(...charges.map(({ cost }) => cost));
        return breakable.isDown ? fail() : store.take(charges, keep);
      },
    },
  };
  return breakable;
}

describe("a store that fails", () => {
  it("fails what it is asked, and not what is held", async () => {
    const { clock, store, calls } = distantStore();
    const failing = breakable(store);
    const limiter = createLimiter({
      ...size,
      store: leasedStore(failing.store, { clock }),
      onError: () => {},
    });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    failing.isDown = true;
    const reasons = [];
    for (let i = 0; i < 100; i++) reasons.push((await limiter.check("k")).reason);
    const held = reasons.indexOf("store-unavailable");
    expect(held).toBeGreaterThan(10);
    expect(reasons.slice(held)).toEqual(new Array(100 - held).fill("store-unavailable"));
    failing.isDown = false;
    expect((await limiter.check("k")).remaining).toBe(10_000 - 64 - held - 1);
    expect(calls.given).toBe(0);
  });

  it("takes nothing of a lease for a request that it fails", async () => {
    const { clock, inner } = distantStore();
    const failing = breakable(inner, rejects);
    const leased = leasedStore(failing.store, { clock });
    const wide = policyOf({ ...fixed, space: "wide", limit: 10_000 });
    const narrow = policyOf({ ...fixed, space: "narrow", limit: 100 });
    for (let i = 0; i < 64; i++) await leased.take([{ policy: wide, key: "k", cost: 1 }], true);
    failing.isDown = true;
    const charges = [wide, narrow].map((policy) => ({ policy, key: "k", cost: 1 }));
    for (let i = 0; i < 5; i++) {
      const taken = leased.take(charges, true);
      await expect(taken).rejects.toThrow("down");
    }
    await leased.close!();
    const { states } = await inner.take([{ policy: wide, key: "k", cost: 0 }], false);
    expect(states[0]![2]).toBe(64);
  });

  it("is taken for one if its answer cannot be read", async () => {
    const { clock, store } = distantStore();
    const broken: Store = { ...store, take: async () => ({ now: 1, fits: [true], states: [[]] }) };
    const errors: unknown[] = [];
    const limiter = createLimiter({
      ...size,
      store: leasedStore(broken, { clock }),
      onError: (error) => errors.push(error),
    });
    expect((await limiter.check("k")).reason).toBe("store-unavailable");
    expect(errors).toMatchObject([{ code: "ERR_STORE_UNAVAILABLE", cause: { name: "TypeError" } }]);
  });

  it.each([
    ["throws", throws],
    ["rejects", rejects],
  ])("is charged in advance again after a call that %s", async (_, fail) => {
    const { clock, inner } = distantStore();
    const failing = breakable(inner, fail);
    const store = leasedStore(failing.store, { clock });
    const limiter = createLimiter({ ...size, store, onError: () => {} });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    failing.isDown = true;
    while ((await limiter.check("k")).reason === "ok");
    failing.isDown = false;
    expect((await limiter.check("k")).reason).toBe("ok");
    // Those of the call that failed, and of the next.
    expect(Math.min(...failing.units.slice(-2))).toBeGreaterThan(1);
  });
});

describe("a clock that tells no time", () => {
  it("fails requests while it does, and loses no unit", async () => {
    const { clock, store, inner } = distantStore();
    let isBroken = false;
    const leased = leasedStore(store, { clock: () => (isBroken ? Number.NaN : clock()) });
    const limiter = createLimiter({ ...size, store: leased, onError: () => {} });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    isBroken = true;
    expect((await limiter.check("k")).reason).toBe("store-unavailable");
    await leased.close!();
    expect((await createLimiter({ ...size, store: inner }).peek("k")).remaining).toBe(9936);
    isBroken = false;
    expect((await limiter.check("k")).remaining).toBe(9935);
  });
});

describe("a call that never answers", () => {
  it("does not keep others from giving back, or from charging ahead after maxAge", async () => {
    const distant = distantStore();
    const { clock, store, inner, calls } = distant;
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    for (const key of ["hung", "busy"]) for (let i = 0; i < 48; i++) await limiter.check(key);
    distant.instead = ([charge]) =>
      charge!.key === "hung" && charge!.cost > 1 ? new Promise(() => {}) : undefined;
    for (let i = 0; i < 60; i++) void limiter.check("hung");
    clock.advance(999);
    calls.units.length = 0;
    await limiter.check("hung");
    expect(calls.units).toEqual([1]);
    clock.advance(1);
    void limiter.check("hung");
    expect(calls.units.at(-1)).toBeGreaterThan(1);
    for (let i = 0; i < 4; i++) await limiter.check(`other ${i}`);
    expect((await createLimiter({ ...size, store: inner }).peek("busy")).remaining).toBe(9952);
  });
});

describe("an answer on incomplete data", () => {
  it("is not for later: nothing is held of a fallback", async () => {
    const { clock, store, calls } = distantStore();
    const fallback = distantStore(clock);
    const failing = breakable(store);
    const inside = fallbackStore(failing.store, { clock, fallback: fallback.store });
    const stack = leasedStore(inside, { clock });
    const limiter = createLimiter({ ...size, store: stack, onError: () => {} });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    failing.isDown = true;
    for (let i = 0; i < 200; i++) await limiter.check("k");
    expect((await limiter.check("k")).degraded).toBe(true);
    // Of its first answer, what was charged in advance is given back.
    expect(fallback.calls.given).toBe(1);
    expect(fallback.calls.units.slice(1)).toEqual(new Array(fallback.calls.taken - 1).fill(1));
    expect(calls.taken).toBeLessThan(20);
  });

  /** Leases on a store that fails from now on, with a fallback in which the key has used 8. */
  async function degraded() {
    const { clock, inner } = distantStore();
    const failing = breakable(inner);
    const fallback = memoryStore({ clock });
    const policy = policyOf({ ...fixed, limit: 100 });
    const inside = fallbackStore(failing.store, { clock, fallback, failures: 1, retry: 1e6 });
    const store = leasedStore(inside, { clock, share: 0.5 });
    const charges = [{ policy, key: "k", cost: 1 }];
    for (let i = 0; i < 20; i++) await store.take(charges, true);
    failing.isDown = true;
    fallback.take([{ policy, key: "k", cost: 8 }], true);
    return { store, charges, other: { policy, key: "other", cost: 1 } };
  }

  it("tells of what was charged there, although units are held here", async () => {
    const { store, charges, other } = await degraded();
    const taken = await store.take([...charges, other], true);
    expect([taken.degraded, taken.states[0]![2]]).toEqual([true, 9]);
  });

  it("to a look is not corrected by what is held", async () => {
    const { store, charges, other } = await degraded();
    await store.take([other], true);
    const taken = (await store.take(charges, false)) as Taken;
    expect([taken.degraded, taken.states[0]![2]]).toEqual([true, 8]);
  });

  /** A leased store over a primary that fails from now on; the fallback grants a twentieth. */
  async function shared() {
    const { clock, inner } = distantStore();
    const failing = breakable(inner);
    const fallback = distantStore(clock);
    const inside = fallbackStore(failing.store, {
      clock,
      fallback: fallback.store,
      failures: 1,
      retry: 1e6,
      share: 0.05,
    });
    const store = leasedStore(inside, { clock, share: 0.5 });
    const busy = { policy: policyOf({ ...fixed, limit: 1000 }), key: "k", cost: 1 };
    for (let i = 0; i < 63; i++) await store.take([busy], true);
    failing.isDown = true;
    return { store, fallback, busy };
  }

  it("refuses nobody for what was asked for in advance", async () => {
    const { store, fallback, busy } = await shared();
    let taken = await store.take([busy], true);
    for (let i = 0; i < 100 && !taken.degraded; i++) taken = await store.take([busy], true);
    expect([taken.degraded, taken.fits]).toEqual([true, [true]]);
    const [first, ...more] = fallback.calls.units;
    expect(first).toBeGreaterThan(50);
    expect(more).toEqual([1]);
  });

  it("gives back nothing where another charge refused, since nothing was charged", async () => {
    const { store, fallback, busy } = await shared();
    const narrow = { policy: policyOf({ ...fixed, name: "n", limit: 20 }), key: "k", cost: 2 };
    const taken = await store.take([busy, narrow], true);
    expect([taken.degraded, taken.fits]).toEqual([true, [true, false]]);
    expect(fallback.calls.given).toBe(0);
  });
});
