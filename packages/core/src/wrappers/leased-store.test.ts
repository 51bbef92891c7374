import { describe, expect, it, test } from "vitest";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import { createPolicy } from "../policy.ts";
import type { Store } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type DefineTest, storeSuite } from "../testing/store-suite.ts";
import { fallbackStore } from "./fallback-store.ts";
import { leasedStore } from "./leased-store.ts";

/** A memory store that counts what it is asked, and answers by promise. */
function remote(clock = manualClock()) {
  const inner = memoryStore({ clock });
  const calls = { taken: 0, given: 0, units: [] as number[] };
  const store: Store = {
    ...inner,
    async take(charges, keep) {
      calls.taken++;
      calls.units.push(...charges.map(({ cost }) => cost));
      return inner.take(charges, keep);
    },
    async give(receipt) {
      calls.given++;
      await inner.give(receipt);
    },
  };
  return { clock, store, calls, inner };
}

const size = { name: "p", limit: 10_000, window: "1m" } as const;
const algorithms = ["fixed-window", "sliding-window", "token-bucket"] as const;

describe("a store behind it", () => {
  storeSuite(it, ({ clock }) => leasedStore(memoryStore({ clock }), { clock }));
});

describe("a store of which everything may be taken ahead", () => {
  /** What is charged ahead counts from then on, so a long story has other waits. */
  const told: DefineTest = (name, run) => {
    if (!name.includes("stories")) it(name, run);
  };
  storeSuite(told, ({ clock }) => leasedStore(memoryStore({ clock }), { clock, share: 1 }));
});

describe("a busy key", () => {
  it.each(algorithms)("costs few calls of the store, and no unit, by a %s", async (algorithm) => {
    const { clock, store, calls, inner } = remote();
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
    const { clock, inner } = remote();
    const store = leasedStore(inner, { clock });
    const policy = policyOf("fixed-window", 10_000);
    for (let i = 0; i < 100; i++) {
      const taken = store.take([{ policy, key: "busy", cost: 1 }], true);
      expect(taken).toMatchObject({ now: clock(), fits: [true] });
    }
  });

  it.each(algorithms)("admits exactly the limit, with exact waits, by a %s", async (algorithm) => {
    const { clock, store } = remote();
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
    const { clock, store, calls } = remote();
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    calls.units.length = 0;
    await Promise.all(Array.from({ length: 200 }, () => limiter.check("k")));
    expect(calls.units.filter((units) => units > 1)).toHaveLength(1);
  });

  it("is asked for exactly near its limit", async () => {
    const { clock, store, calls } = remote();
    const limiter = createLimiter({ ...size, limit: 120, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 130; i++) await limiter.check("k");
    expect(calls.units.slice(-100)).toEqual(new Array(100).fill(1));
    expect(calls.units).toContain(2);
  });
});

describe("what is held", () => {
  it("is given back when it is too old, once any key asks", async () => {
    const { clock, store, calls, inner } = remote();
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
    const { clock, store, inner } = remote();
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
    const { clock, store } = remote();
    const limiter = createLimiter({
      ...size,
      algorithm: "fixed-window",
      store: leasedStore(store, { clock, maxAge: 600_000 }),
    });
    for (let i = 0; i < 100; i++) await limiter.check("k");
    clock.advance(60_000);
    expect((await limiter.check("k")).remaining).toBe(9999);
  });

  it("is given back where another key takes the last place", async () => {
    const { clock, store, calls } = remote();
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
    const { clock, store, calls } = remote();
    const limiter = createLimiter({ ...size, store: leasedStore(store, { clock }) });
    for (let i = 0; i < 50; i++) await limiter.check("k");
    await limiter.reset("k");
    expect((await limiter.check("k")).remaining).toBe(9999);
    expect(calls.given).toBe(0);
  });

  it("goes back before a request that cannot be paid from it", async () => {
    const { clock, store } = remote();
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

describe("a refund", () => {
  it.each(algorithms)("of what a lease paid reaches the store, by a %s", async (algorithm) => {
    const { clock, store, inner } = remote();
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
    const { clock, store, inner } = remote();
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
});

describe("requests with several policies", () => {
  it("are paid from leases where all are held, and cost nothing where one refuses", async () => {
    const { clock, store, calls, inner } = remote();
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
    const { clock, store, calls } = remote();
    const limiter = createLimiter({
      ...size,
      ...more,
      store: leasedStore(store, { clock, share: 1 }),
    });
    for (let i = 0; i < 50; i++) await limiter.check("k");
    expect(calls.units).toEqual(new Array(50).fill(1));
  });
});

describe("a store that fails", () => {
  it("fails what it is asked, and not what is held", async () => {
    const { clock, store, calls } = remote();
    let isDown = false;
    const failing: Store = {
      ...store,
      take(charges, keep) {
        if (isDown) throw new Error("down");
        return store.take(charges, keep);
      },
    };
    const limiter = createLimiter({
      ...size,
      store: leasedStore(failing, { clock }),
      onError: () => {},
    });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    isDown = true;
    const reasons = [];
    for (let i = 0; i < 100; i++) reasons.push((await limiter.check("k")).reason);
    const held = reasons.indexOf("store-unavailable");
    expect(held).toBeGreaterThan(10);
    expect(reasons.slice(held)).toEqual(new Array(100 - held).fill("store-unavailable"));
    isDown = false;
    expect((await limiter.check("k")).remaining).toBe(10_000 - 64 - held - 1);
    expect(calls.given).toBe(0);
  });

  it("takes nothing of a lease for a request that it fails", async () => {
    const { clock, inner } = remote();
    let isDown = false;
    const failing: Store = {
      ...inner,
      async take(charges, keep) {
        if (isDown) throw new Error("down");
        return inner.take(charges, keep);
      },
    };
    const leased = leasedStore(failing, { clock });
    const wide = policyOf("fixed-window", 10_000, "wide");
    const narrow = policyOf("fixed-window", 100, "narrow");
    for (let i = 0; i < 64; i++) await leased.take([{ policy: wide, key: "k", cost: 1 }], true);
    isDown = true;
    const charges = [wide, narrow].map((policy) => ({ policy, key: "k", cost: 1 }));
    for (let i = 0; i < 5; i++) {
      const taken = leased.take(charges, true);
      await expect(taken).rejects.toThrow("down");
    }
    await leased.close!();
    expect(inner.take([{ policy: wide, key: "k", cost: 0 }], false).states[0]![2]).toBe(64);
  });

  it("is taken for one if its answer cannot be read", async () => {
    const { clock, store } = remote();
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

  it("holds nothing of a fallback", async () => {
    const { clock, store, calls } = remote();
    const fallback = remote(clock);
    let isDown = false;
    const failing: Store = {
      ...store,
      async take(charges, keep) {
        if (isDown) throw new Error("down");
        return store.take(charges, keep);
      },
    };
    const stack = leasedStore(fallbackStore(failing, { clock, fallback: fallback.store }), {
      clock,
    });
    const limiter = createLimiter({ ...size, store: stack, onError: () => {} });
    for (let i = 0; i < 64; i++) await limiter.check("k");
    isDown = true;
    for (let i = 0; i < 200; i++) await limiter.check("k");
    expect((await limiter.check("k")).degraded).toBe(true);
    // Of its first answer, what was taken ahead is given back.
    expect(fallback.calls.given).toBe(1);
    expect(fallback.calls.units.slice(1)).toEqual(new Array(fallback.calls.taken - 1).fill(1));
    expect(calls.taken).toBeLessThan(20);
  });
});

describe("another size of a policy", () => {
  it("takes over what was used, and nothing that was held", async () => {
    const { clock, store } = remote();
    const leased = leasedStore(store, { clock });
    const wide = createLimiter({ ...size, store: leased });
    const narrow = createLimiter({ ...size, limit: 200, store: leased });
    for (let i = 0; i < 100; i++) await wide.check("k");
    expect((await narrow.check("k")).remaining).toBe(99);
    expect((await wide.check("k")).remaining).toBe(10_000 - 102);
  });
});

it("is refused without a store, and with options that it does not have", () => {
  expect(() => leasedStore({} as Store)).toThrow(/store: expected a store/);
  const store = memoryStore();
  expect(() => leasedStore(store, { share: 0 })).toThrow(
    "share: expected a number above 0 and up to 1, received 0",
  );
  expect(() => leasedStore(store, { units: 5 } as object)).toThrow(/units/);
});

function policyOf(algorithm: "fixed-window" | "token-bucket", limit: number, name = "p") {
  return createPolicy({
    name,
    space: name,
    algorithm,
    limit,
    window: 60_000,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: false,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
  });
}
