import { describe, expect, it, test } from "vitest";
import { distantStore } from "../../test/leases/distant-store.ts";
import { policyOf } from "../../test/properties/specimens.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { type DefineTest, storeSuite } from "../testing/store-suite.ts";
import { leasedStore } from "./leased-store.ts";

const size = { name: "p", limit: 10_000, window: "1m" } as const;
const algorithms = ["fixed-window", "sliding-window", "token-bucket"] as const;

describe("a store behind it", () => {
  storeSuite(it, ({ clock }) => leasedStore(memoryStore({ clock }), { clock }));
});

describe("a store that may be charged everything in advance", () => {
  /** What is charged in advance counts from then on, so a long story has other waits. */
  const told: DefineTest = (name, run) => {
    if (!name.includes("stories")) it(name, run);
  };
  storeSuite(told, ({ clock }) => leasedStore(memoryStore({ clock }), { clock, share: 1 }));
});

describe("a busy key", () => {
  it.each(algorithms)("costs few calls of the store, and no unit, by a %s", async (algorithm) => {
    const { clock, store, calls, inner } = distantStore();
    const limiter = createLimiter({ ...size, algorithm, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 5000; i++) {
      const { allowed, remaining } = await limiter.check("busy");
      expect([allowed, remaining]).toEqual([true, 10_000 - i - 1]);
    }
    expect(calls.taken).toBeLessThan(90);
    const truly = createLimiter({ ...size, algorithm, store: inner });
    expect((await limiter.peek("busy")).remaining).toBe(5000);
    expect((await truly.peek("busy")).remaining).toBeGreaterThanOrEqual(5000 - 10_000 * 0.01);
  });

  it("is told synchronously", () => {
    const { clock, inner } = distantStore();
    const store = leasedStore(inner, { clock });
    const policy = policyOf({ algorithm: "fixed-window", limit: 10_000, window: 60_000 });
    for (let i = 0; i < 100; i++) {
      const taken = store.take([{ policy, key: "busy", cost: 1 }], true);
      expect(taken).toMatchObject({ now: clock(), fits: [true] });
    }
  });

  it.each(algorithms)("admits exactly the limit, with exact waits, by a %s", async (algorithm) => {
    const { clock, store } = distantStore();
    const options = { ...size, limit: 1000, algorithm };
    const leased = createLimiter({ ...options, store: leasedStore(store, { clock, share: 0.5 }) });
    const plain = createLimiter({ ...options, store: memoryStore({ clock }) });
    for (let i = 0; i < 400; i++) {
      const cost = 1 + (i % 7);
      const [told, truth] = [await leased.check("k", { cost }), await plain.check("k", { cost })];
      expect(told).toEqual({ ...truth });
    }
    clock.advance(1000);
    expect(await leased.peek("k")).toEqual({ ...(await plain.peek("k")) });
  });

  it("asks once for more, however many requests wait", async () => {
    const { clock, store, calls } = distantStore();
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    calls.units.length = 0;
    await Promise.all(Array.from({ length: 200 }, () => limiter.check("k")));
    expect(calls.units.filter((units) => units > 1)).toHaveLength(1);
  });

  it("is asked for exactly near its limit", async () => {
    const { clock, store, calls } = distantStore();
    const limiter = createLimiter({ ...size, limit: 120, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 130; i++) await limiter.check("k");
    expect(calls.units.slice(-100)).toEqual(new Array(100).fill(1));
    expect(calls.units).toContain(2);
  });
});

describe("what is held", () => {
  it("is given back when it is too old, once any key asks", async () => {
    const { clock, store, calls, inner } = distantStore();
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    const truly = createLimiter({ ...size, store: inner });
    for (let i = 0; i < 101; i++) await limiter.check("busy");
    expect((await truly.peek("busy")).remaining).toBeLessThan(10_000 - 101);
    clock.advance(1000);
    expect(calls.given).toBe(0);
    await limiter.check("another");
    expect(calls.given).toBe(1);
    expect((await truly.peek("busy")).remaining).toBe(10_000 - 101);
  });

  it("is given back by close, which leaves the store open", async () => {
    const { clock, store, inner } = distantStore();
    const leased = leasedStore(store, { clock });
    const limiter = createLimiter({ ...size, store: leased });
    const truly = createLimiter({ ...size, store: inner });
    for (const key of ["a", "b"]) for (let i = 0; i < 50; i++) await limiter.check(key);
    await leased.close!();
    for (const key of ["a", "b"]) expect((await truly.peek(key)).remaining).toBe(9950);
    expect((await limiter.check("a")).remaining).toBe(9949);
    await leased.close!();
  });

  it("is not used beyond the end of a fixed window", async () => {
    const { clock, store } = distantStore();
    const limiter = createLimiter({
      ...size,
      algorithm: "fixed-window",
      store: leasedStore(store, { clock, maxAge: 600_000 }),
    });
    for (let i = 0; i < 100; i++) await limiter.check("k");
    clock.advance(60_000);
    expect((await limiter.check("k")).remaining).toBe(9999);
  });

  it.each([
    [1000, 500, 3],
    [1000, 500, 1],
    [1000, 990, 2],
    [3_600_000, 3_000_000, 3000],
  ])("is given back to its window (maxAge %i, %i old, %i left)", async (maxAge, age, before) => {
    const { clock, store } = distantStore();
    const hour = { ...size, limit: 100, window: "1h", algorithm: "fixed-window" } as const;
    const limiter = createLimiter({
      ...hour,
      store: leasedStore(store, { clock, share: 0.5, maxAge }),
    });
    clock.advance(3_600_000 - age - before);
    for (let i = 0; i < 20; i++) await limiter.check("k");
    clock.advance(age);
    expect(await limiter.check("k", { cost: 80 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it("is given back where another key takes the last place", async () => {
    const { clock, store, calls } = distantStore();
    const leased = leasedStore(store, { clock, maxKeys: 1 });
    const limiter = createLimiter({ ...size, store: leased });
    for (let i = 0; i < 50; i++) await limiter.check("a");
    await limiter.check("b");
    expect(calls.given).toBe(1);
    const before = calls.taken;
    await limiter.check("a");
    expect(calls.taken).toBe(before + 1);
  });

  it("is gone with a reset", async () => {
    const { clock, store, calls } = distantStore();
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 50; i++) await limiter.check("k");
    await limiter.reset("k");
    expect((await limiter.check("k")).remaining).toBe(9999);
    expect(calls.given).toBe(0);
  });

  it("goes back before a request that cannot be paid from it", async () => {
    const { clock, store } = distantStore();
    const leased = leasedStore(store, { clock, share: 0.5 });
    const limit = 100;
    const one = createLimiter({ ...size, limit, store: leased });
    for (let i = 0; i < 20; i++) await one.check("k");
    const both = createLimiter({
      policies: [
        { ...size, limit },
        { ...size, name: "log", limit: 100, algorithm: "sliding-log" },
      ],
      store: leased,
    });
    expect(await both.check("k", { cost: 80 })).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe("requests with several policies", () => {
  it("are paid from leases where all are held, and cost nothing where one refuses", async () => {
    const { clock, store, calls, inner } = distantStore();
    const policies = [
      { ...size, name: "wide", limit: 100_000 },
      { ...size, name: "narrow", limit: 1000 },
    ];
    const leased = leasedStore(store, { clock, share: 0.1 });
    const limiter = createLimiter({ policies, store: leased });
    let admitted = 0;
    for (let i = 0; i < 1100; i++) if ((await limiter.check("k")).allowed) admitted++;
    expect(admitted).toBe(1000);
    expect(calls.taken).toBeLessThan(300);
    await leased.close!();
    const { statuses } = await createLimiter({ policies, store: inner }).peek("k");
    expect(statuses.map(({ remaining }) => remaining)).toEqual([99_000, 0]);
  });
});

describe("policies that need the store each time", () => {
  test.each([
    ["a log", { algorithm: "sliding-log" }],
    ["a queue", { algorithm: "leaky-bucket" }],
    ["a ban", { ban: { for: "1m" } }],
    ["a shadow", { shadow: true }],
    ["counted refusals", { countRefused: true }],
  ] as const)("%s", async (_, more) => {
    const { clock, store, calls } = distantStore();
    const limiter = createLimiter({
      ...size,
      ...more,
      store: leasedStore(store, { clock, share: 1 }),
    });
    for (let i = 0; i < 50; i++) await limiter.check("k");
    expect(calls.units).toEqual(new Array(50).fill(1));
  });
});

describe("another size of a policy", () => {
  it("takes over what was used, and nothing that was held", async () => {
    const { clock, store } = distantStore();
    const leased = leasedStore(store, { clock });
    const wide = createLimiter({ ...size, store: leased });
    const narrow = createLimiter({ ...size, limit: 200, store: leased });
    for (let i = 0; i < 100; i++) await wide.check("k");
    expect((await narrow.check("k")).remaining).toBe(99);
    expect((await wide.check("k")).remaining).toBe(10_000 - 102);
  });
});

describe("two limiters of one policy on one leased store", () => {
  it("spend the same leases", async () => {
    const { clock, store, calls } = distantStore();
    const leased = leasedStore(store, { clock });
    const limiters = [1, 2].map(() => createLimiter({ ...size, store: leased }));
    for (let i = 0; i < 500; i++) {
      for (const limiter of limiters) expect((await limiter.check("k")).allowed).toBe(true);
    }
    expect([calls.taken < 30, calls.given]).toEqual([true, 0]);
  });
});

describe("charges", () => {
  const policy = policyOf({ algorithm: "fixed-window", limit: 10_000, window: 60_000 });
  const charge = { policy, key: "k", cost: 1 };

  it("of the same key in one request are made by the store", async () => {
    const { clock, store, calls, inner } = distantStore();
    const leased = leasedStore(store, { clock });
    for (let i = 0; i < 64; i++) await leased.take([charge], true);
    calls.units.length = 0;
    const { states } = await leased.take([charge, charge], true);
    expect(states.map((state) => state[2])).toEqual([65, 66]);
    expect(calls.units).toEqual([1, 1]);
    await leased.close!();
    expect((await inner.take([charge], false)).states[0]![2]).toBe(66);
  });

  it("that are none get the store's time", () => {
    const { clock, inner } = distantStore();
    expect(leasedStore(inner, { clock }).take([], true)).toMatchObject({ now: clock(), fits: [] });
  });
});

it("is at the place of its store", () => {
  const { store } = distantStore();
  const place = {};
  expect(leasedStore(store).place).toBe(store);
  expect(leasedStore({ ...store, place }).place).toBe(place);
});

it("is refused without a store, and with options that it does not have", () => {
  expect(() => leasedStore({} as Store)).toThrow(/store: expected a store/);
  const store = memoryStore();
  expect(() => leasedStore(store, { share: 0 })).toThrow(
    "share: expected a number above 0 and up to 1, received 0",
  );
  expect(() => leasedStore(store, { units: 5 } as object)).toThrow(/units/);
});
