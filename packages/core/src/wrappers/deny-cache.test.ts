import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import { createPolicy, type PolicySettings } from "../policy.ts";
import type { Store } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { storeSuite } from "../testing/store-suite.ts";
import { denyCache } from "./deny-cache.ts";

const policy = { algorithm: "token-bucket", limit: 5, window: "5s" } as const;

/** A memory store that counts its calls. */
function counted(clock = manualClock()) {
  const inner = memoryStore({ clock });
  const state = { asked: 0 };
  const store: Store = {
    ...inner,
    take(charges, keep) {
      state.asked++;
      return inner.take(charges, keep);
    },
  };
  return { clock, store, state, inner };
}

describe("a store behind it", () => {
  storeSuite(it, ({ clock }) => denyCache(memoryStore({ clock }), { clock }));
});

test("asks the store about once per wait while a key is attacked, and not at all for what it knows", async () => {
  const { clock, store, state } = counted();
  const limiter = createLimiter({ ...policy, store: denyCache(store, { clock, maxAge: 60_000 }) });
  let [admitted, refused] = [0, 0];
  for (let ms = 0; ms < 10_000; ms++) {
    if ((await limiter.check("attacker")).allowed) admitted++;
    else refused++;
    clock.advance(1);
  }
  expect(admitted).toBe(5 + 9);
  expect(refused).toBe(10_000 - 14);
  // For each admission: the call itself, the refusal after it, and a few at the end of the wait, which clocks leave
  // uncertain.
  expect(state.asked).toBeLessThanOrEqual(14 * 8);
});

const algorithms = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "token-bucket",
  "leaky-bucket",
] as const;

test.each(algorithms)(
  "tells the wait for a %s exactly, where both have one clock",
  async (algorithm) => {
    const { clock, store, inner } = counted();
    const limiter = createLimiter({
      ...policy,
      algorithm,
      name: "p",
      store: denyCache(store, { clock }),
    });
    const truly = createLimiter({ ...policy, algorithm, name: "p", store: inner });
    for (let i = 0; i < 6; i++) await limiter.check("key");
    clock.advance(500);
    const { allowed, remaining, retryAfter, reason, degraded } = await limiter.check("key");
    expect([allowed, remaining, reason, degraded]).toEqual([false, 0, "limited", false]);
    const truth = await truly.peek("key");
    expect(retryAfter).toBe(truth.retryAfter);
  },
);

test.each([
  ["a sliding log", { algorithm: "sliding-log", limit: 2, window: 1000 }],
  ["a bucket", { algorithm: "token-bucket", limit: 2, window: 1000 }],
  ["a ban", { algorithm: "fixed-window", limit: 2, window: 1000, ban: { for: "5s" } }],
] as const)("tells exactly what any cost has to wait for, of %s", async (_, size) => {
  const { clock, store, inner } = counted();
  const shared = { ...size, name: "p" };
  const limiter = createLimiter({ ...shared, store: denyCache(store, { clock }) });
  const truly = createLimiter({ ...shared, store: inner });
  await limiter.check("key");
  clock.advance(500);
  for (const cost of [1, 1, 0, 2, 1, 2, 3, 1]) {
    const { allowed, retryAfter } = await limiter.check("key", { cost });
    const truth = await truly.peek("key", { cost });
    if (!allowed) expect(retryAfter).toBe(truth.retryAfter);
    clock.advance(7);
  }
});

test.each(algorithms)(
  "never refuses what a %s would admit: any cost, any skew, any delay, others at work",
  async (algorithm) => {
    let local = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -5000, max: 5000 }),
        fc.integer({ min: -50, max: 50 }),
        fc.array(
          fc.tuple(
            fc.integer({ min: 1, max: 6 }),
            fc.nat(700),
            fc.nat(30),
            fc.nat(30),
            fc.boolean(),
          ),
          {
            minLength: 40,
            maxLength: 80,
          },
        ),
        async (skew, drift, steps) => {
          const there = manualClock();
          const here = manualClock(there() + skew);
          // Time passes on both clocks, slightly faster or slower on the store's.
          let passed = 0;
          const pass = (ms: number): void => {
            passed += ms;
            here.advance(ms);
            there.set(Math.floor(1_700_006_400_000 + passed * (1 + drift / 100_000)));
          };
          const inner = memoryStore({ clock: there });
          let asked = false;
          let [before, after] = [0, 0];
          const remote: Store = {
            ...inner,
            async take(charges, keep) {
              asked = true;
              pass(before);
              const answer = inner.take(charges, keep);
              pass(after);
              return answer;
            },
          };
          const cached = denyCache(remote, { clock: here, maxAge: 100_000 });
          const make = (store: Store) =>
            createLimiter({ name: "p", algorithm, limit: 6, window: 2000, store });
          const limiter = make(cached);
          const other = make(inner);
          for (const [cost, ms, goes, comes, alone] of steps) {
            [before, after, asked] = [goes, comes, false];
            if (!alone) await other.check("key", { cost: 1 });
            const truth = await other.peek("key", { cost });
            const { allowed, retryAfter } = await limiter.check("key", { cost });
            if (!asked) {
              local++;
              expect([truth.allowed, allowed]).toEqual([false, false]);
              // The answer took that long to arrive, and the clocks differ.
              expect(retryAfter).toBeLessThanOrEqual(truth.retryAfter + 60 + 10);
            }
            pass(ms);
          }
        },
      ),
      { numRuns: 25 },
    );
    expect(local).toBeGreaterThan(50);
  },
);

test("lets a cheaper request through to the store", async () => {
  const { clock, store } = counted();
  const limiter = createLimiter({ ...policy, store: denyCache(store, { clock }) });
  await limiter.check("key", { cost: 3 });
  expect((await limiter.check("key", { cost: 4 })).allowed).toBe(false);
  expect((await limiter.check("key", { cost: 1 })).allowed).toBe(true);
});

test("sees what is reset or given back through it at once, and elsewhere after its age", async () => {
  const { clock, store, state, inner } = counted();
  const slow = { ...policy, limit: 2, window: "1h" } as const;
  const cached = denyCache(store, { clock });
  const limiter = createLimiter({ ...slow, name: "p", store: cached });
  const elsewhere = createLimiter({ ...slow, name: "p", store: inner });
  const first = await limiter.check("key");
  await limiter.check("key");
  expect((await limiter.check("key")).allowed).toBe(false);
  await limiter.give(first);
  expect((await limiter.check("key")).allowed).toBe(true);
  expect((await limiter.check("key")).allowed).toBe(false);
  await limiter.reset("key");
  expect((await limiter.check("key", { cost: 2 })).allowed).toBe(true);

  expect((await limiter.check("key")).allowed).toBe(false);
  await elsewhere.reset("key");
  state.asked = 0;
  clock.advance(999);
  expect((await limiter.check("key")).allowed).toBe(false);
  expect(state.asked).toBe(0);
  clock.advance(1);
  expect((await limiter.check("key")).allowed).toBe(true);
});

test("does not remember an answer that a reset overtook", async () => {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  const answers: (() => void)[] = [];
  const remote: Store = {
    ...inner,
    take(charges, keep) {
      const answer = inner.take(charges, keep);
      return new Promise((resolve) => answers.push(() => resolve(answer)));
    },
  };
  const limiter = createLimiter({ ...policy, limit: 0, store: denyCache(remote, { clock }) });
  const late = limiter.check("key");
  await Promise.resolve();
  await limiter.reset("key");
  for (const answer of answers.splice(0)) answer();
  expect((await late).allowed).toBe(false);
  void limiter.check("key");
  await Promise.resolve();
  expect(answers).toHaveLength(1);
});

test("does not keep an answer that was given before a reset or a refund was done", async () => {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  const doing: (() => void)[] = [];
  const later = (act: () => unknown): Promise<void> =>
    new Promise((resolve) => doing.push(() => resolve(void act())));
  const remote: Store = {
    ...inner,
    give: (receipt) => later(() => inner.give(receipt)),
    reset: (policy, key) => later(() => inner.reset(policy, key)),
  };
  const limiter = createLimiter({ ...policy, limit: 1, store: denyCache(remote, { clock }) });
  for (const undo of ["give", "reset"] as const) {
    const first = await limiter.check(undo);
    const undone = undo === "give" ? limiter.give(first) : limiter.reset(undo);
    await Promise.resolve();
    expect((await limiter.check(undo)).allowed).toBe(false);
    for (const act of doing.splice(0)) act();
    await undone;
    expect((await limiter.check(undo)).allowed).toBe(true);
  }
});

test("takes a raised limit of its own process at once", async () => {
  const { clock, store } = counted();
  let limit = 1;
  const limiter = createLimiter({
    ...policy,
    limit: () => limit,
    store: denyCache(store, { clock }),
  });
  await limiter.check("key");
  expect((await limiter.check("key")).allowed).toBe(false);
  limit = 10;
  expect((await limiter.check("key")).allowed).toBe(true);
});

test("refuses several policies as the store last told of them, and only where it knows all", async () => {
  const { clock, store, state } = counted();
  const limiter = createLimiter({
    policies: [
      { name: "narrow", algorithm: "fixed-window", limit: 1, window: "1h" },
      { name: "wide", algorithm: "fixed-window", limit: 10, window: "1h" },
    ],
    store: denyCache(store, { clock }),
  });
  await limiter.check("key");
  const told = await limiter.check("key");
  state.asked = 0;
  const cached = await limiter.check("key");
  expect(state.asked).toBe(0);
  expect(cached.statuses).toEqual(told.statuses);
  expect((await limiter.check("key", { policy: "wide" })).remaining).toBe(8);
  expect(state.asked).toBe(1);
});

test("leaves to the store requests that name a key twice, and learns nothing of them", async () => {
  const { clock, store, state } = counted();
  const cached = denyCache(store, { clock });
  const own = createPolicy({
    ...{ name: "p", space: "p", algorithm: "fixed-window", limit: 3, window: 60_000 },
    ...{ timeZone: "UTC", segments: 1, align: "clock", delay: true },
    ...{ shadow: false, countRefused: false, onStoreError: "open" },
  } as PolicySettings);
  const charge = (cost: number) => ({ policy: own, key: "key", cost });
  const fitsOf = async (...costs: number[]) => (await cached.take(costs.map(charge), true)).fits;
  expect(await fitsOf(2, 2)).toEqual([true, false]);
  expect(await fitsOf(2)).toEqual([true]);
  expect(await fitsOf(2)).toEqual([false]);
  state.asked = 0;
  expect(await fitsOf(2, 2)).toEqual([false, false]);
  expect(await fitsOf(2)).toEqual([false]);
  expect(await fitsOf(2)).toEqual([false]);
  expect(state.asked).toBe(2);
});

test("leaves to the store what counts refusals, only reports, only looks, or is degraded", async () => {
  const { clock, store, state } = counted();
  const cached = denyCache(store, { clock });
  const hard = { ...policy, limit: 1 };
  for (const limiter of [
    createLimiter({ ...hard, name: "counting", countRefused: true, store: cached }),
    createLimiter({ ...hard, name: "shadow", shadow: true, store: cached }),
    createLimiter({
      ...hard,
      name: "degraded",
      store: denyCache(
        { ...store, take: async (c, k) => ({ ...(await store.take(c, k)), degraded: true }) },
        { clock },
      ),
    }),
  ]) {
    state.asked = 0;
    for (let i = 0; i < 5; i++) await limiter.check("key");
    expect(state.asked).toBe(5);
  }
  const limiter = createLimiter({ ...hard, name: "plain", store: cached });
  for (let i = 0; i < 3; i++) await limiter.check("key");
  state.asked = 0;
  await limiter.peek("key");
  expect(state.asked).toBe(1);
});

test("remembers no more keys than it may", async () => {
  const { clock, store, state } = counted();
  const limiter = createLimiter({
    ...policy,
    limit: 0,
    store: denyCache(store, { clock, maxKeys: 10 }),
  });
  for (let i = 0; i < 100; i++) await limiter.check(`key ${i}`);
  state.asked = 0;
  for (let i = 0; i < 100; i++) await limiter.check(`key ${i % 10}`);
  expect(state.asked).toBe(10);
  state.asked = 0;
  for (let i = 90; i < 100; i++) await limiter.check(`key ${i}`);
  expect(state.asked).toBe(10);
});

test.each([
  [undefined, {}, /store: expected a store/],
  [memoryStore(), { maxKeys: 0 }, /maxKeys/],
  [memoryStore(), { maxage: 5 }, /did you mean maxAge/],
])("refuses options that do not fit (%#)", (store, options, message) => {
  expect(() => denyCache(store as Store, options as object)).toThrow(message);
});

test.each(algorithms)(
  "tells no time that has passed, of a %s whose charges have left since",
  async (algorithm) => {
    const clock = manualClock();
    const store = denyCache(memoryStore({ clock }), { clock });
    const limiter = createLimiter({ name: "m", limit: 5, window: "1m", algorithm, store });
    await limiter.check("k");
    clock.advance(59_500);
    await limiter.check("k", { cost: 7 });
    for (let i = 0; i < 9; i++) {
      clock.advance(100);
      const told = await limiter.check("k", { cost: 7 });
      const { remaining, resetAfter } = await limiter.peek("k");
      expect(told).toMatchObject({ reason: "cost-exceeds-limit", remaining, resetAfter });
    }
  },
);
