import { expect, test, vi } from "vitest";
import {
  createLimiter,
  denyCache,
  fallbackStore,
  memoryStore,
  type Store,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

/** A store that answers by promise, as over a network, and fails when told to. */
function distant(clock = manualClock()) {
  const inner = memoryStore({ clock });
  const state = { down: false, asked: 0 };
  const sent = async <T>(work: () => T | Promise<T>): Promise<T> => {
    state.asked++;
    if (state.down) throw new Error("down");
    return work();
  };
  const store: Store = {
    take: (charges, keep) => sent(() => inner.take(charges, keep)),
    give: (receipt) => sent(() => inner.give(receipt)),
    reset: (policy, key) => sent(() => inner.reset(policy, key)),
  };
  return { clock, store, state, inner };
}

test("what a deny cache refuses says nothing of the store behind it", async () => {
  const { clock, store, state } = distant();
  const [onEnter, onLeave] = [vi.fn(), vi.fn()];
  const cached = denyCache(store, { clock, maxAge: 60_000 });
  const composed = fallbackStore(cached, {
    clock,
    onEnter,
    onLeave,
    fallback: memoryStore({ clock }),
  });
  const limiter = createLimiter({ limit: 1, window: "1h", store: composed });
  for (let i = 0; i < 3; i++) await limiter.check("attacker");
  state.down = true;
  for (let i = 0; i < 3; i++) {
    expect(await limiter.check(`key ${i}`)).toMatchObject({ allowed: true, degraded: true });
    // The fallback, which decides after the third failure, does not know the attacker.
    expect((await limiter.check("attacker")).allowed).toBe(i === 2);
  }
  expect(onEnter).toHaveBeenCalledTimes(1);
  const { asked } = state;
  for (let ms = 0; ms < 3000; ms += 10) {
    clock.advance(10);
    expect((await limiter.check("attacker")).allowed).toBe(false);
    await limiter.check("key 0");
  }
  expect(onLeave).not.toHaveBeenCalled();
  expect(state.asked - asked).toBeLessThan(30);
  state.down = false;
  clock.advance(1000);
  expect(await limiter.check("key 9")).toMatchObject({ allowed: true, degraded: false });
  expect(onLeave).toHaveBeenCalledTimes(1);
});

test("a request that cost more than a share of the limit takes the share, and no less", async () => {
  const { clock, store, state } = distant();
  state.down = true;
  const composed = fallbackStore(store, { clock, share: 0.25, fallback: memoryStore({ clock }) });
  for (const algorithm of [
    "sliding-window",
    "fixed-window",
    "sliding-log",
    "token-bucket",
  ] as const) {
    for (const ban of [undefined, { for: "1h" } as const]) {
      const name = `${algorithm}-${ban ? "ban" : ""}`;
      const policy = { name, algorithm, limit: 100, window: "1h", ban } as const;
      const limiter = createLimiter({ ...policy, store: composed, onError: () => {} });
      const decision = await limiter.check("key");
      expect(decision).toMatchObject({ allowed: true, degraded: true, limit: 25, remaining: 24 });
      await decision.settle(50);
      expect(await limiter.peek("key")).toMatchObject({ remaining: 0, degraded: true });
    }
  }
});

test("tiers of one key are refused by their own limit, whichever was refused before", async () => {
  const { clock, store, inner } = distant();
  const options = {
    limit: 2,
    window: "1h",
    tiers: { paid: { limit: 5 }, brief: { limit: 2, window: "1m" } },
  } as const;
  const cached = createLimiter({ ...options, store: denyCache(store, { clock, maxAge: 60_000 }) });
  const asked = ["", "", "", "paid", "", "paid", "paid", "paid", "", "paid", "brief", "paid"];
  const plain = createLimiter({ ...options, store: memoryStore({ clock }) });
  for (let round = 0; round < 40; round++) {
    for (const tier of asked) {
      const [here, there] = [await cached.check("k", { tier }), await plain.check("k", { tier })];
      expect(here.allowed, `${round} ${tier}`).toBe(there.allowed);
    }
    clock.advance(97_000);
  }
  expect(inner.size).toBe(1);
});

test("a settlement is seen by a deny cache, and what it remembers refuses nobody whom the store admits", async () => {
  const { clock, store } = distant();
  const composed = denyCache(store, { clock, maxAge: 3_600_000 });
  const limiter = createLimiter({
    algorithm: "fixed-window",
    limit: 10,
    window: "1h",
    store: composed,
  });
  const first = await limiter.check("key", { cost: 8 });
  expect((await limiter.check("key", { cost: 3 })).allowed).toBe(false);
  await first.settle(2);
  expect(await limiter.check("key", { cost: 3 })).toMatchObject({ allowed: true, remaining: 5 });
  const second = await limiter.check("key", { cost: 1 });
  await second.settle(9);
  expect(await limiter.check("key")).toMatchObject({ allowed: false, remaining: 0 });
});

test("the short way of a memory store is closed to whatever stands before it", async () => {
  const clock = manualClock();
  const policy = { name: "p", limit: 5, window: "1h" } as const;
  for (const wrap of [
    (store: Store, take: Store["take"]): Store => ({ ...store, take }),
    (store: Store, take: Store["take"]): Store => Object.assign(Object.create(store), { take }),
    (store: Store, take: Store["take"]): Store =>
      new Proxy(store, { get: (of, name) => (name === "take" ? take : Reflect.get(of, name)) }),
    (store: Store, take: Store["take"]): Store => Object.assign(store, { take }),
  ]) {
    const inner = memoryStore({ clock });
    const original = inner.take;
    const take = vi.fn<Store["take"]>((charges, keep) => original(charges, keep));
    const limiter = createLimiter({ ...policy, store: wrap(inner, take) });
    for (let i = 0; i < 5; i++) expect((await limiter.check("key")).remaining).toBe(4 - i);
    expect((await limiter.check("key")).allowed).toBe(false);
    expect(take).toHaveBeenCalledTimes(6);
  }
  // The method is replaced after the limiter was created, and then restored.
  const store = memoryStore({ clock });
  const limiter = createLimiter({ ...policy, store });
  await limiter.check("key");
  const spy = vi.spyOn(store, "take");
  await limiter.check("key");
  expect(spy).toHaveBeenCalledTimes(1);
  spy.mockRestore();
  expect((await limiter.check("key")).remaining).toBe(2);
});
