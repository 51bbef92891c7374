import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, test } from "vitest";
import { receiptOf } from "../decisions/decision-record.ts";
import { createLimiter } from "../limiter.ts";
import { memoryStore } from "../memory-store.ts";
import { createPolicy } from "../policy.ts";
import type { Charge, Store, Taken } from "../store.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { storeSuite } from "../testing/store-suite.ts";
import { fallbackStore } from "./fallback-store.ts";

const policy = { algorithm: "fixed-window", limit: 5, window: "1h" } as const;

function policyOf() {
  const rest = { segments: 1, align: "clock", delay: true, shadow: false } as const;
  const names = { name: "p", space: "p", timeZone: "UTC" };
  const kept = { countRefused: false, onStoreError: "open" } as const;
  return createPolicy({ ...policy, ...rest, ...names, ...kept, window: 3_600_000 });
}

/** A store that fails when told to, and counts its calls. */
function fragile(clock = manualClock()) {
  const inner = memoryStore({ clock });
  const state = { down: false, asked: 0, late: false };
  const guarded = <T>(work: () => T | Promise<T>): Promise<T> => {
    state.asked++;
    if (state.late) return new Promise(() => {});
    return state.down ? Promise.reject(new Error("down")) : Promise.resolve(work());
  };
  const store: Store = {
    take: (charges, keep) => guarded(() => inner.take(charges, keep)),
    give: (receipt) => guarded(() => inner.give(receipt)),
    reset: (policy, key) => guarded(() => inner.reset(policy, key)),
  };
  return { clock, store, state, inner };
}

describe("a primary that answers", () => {
  storeSuite(it, ({ clock }) => fallbackStore(memoryStore({ clock }), { clock }));
});

describe("a fallback that decides alone", () => {
  const never: Store = {
    take: () => Promise.reject(new Error("down")),
    give() {},
    reset() {},
  };
  storeSuite(it, ({ clock }) => fallbackStore(never, { clock, fallback: memoryStore({ clock }) }));
});

test("gives a part of what the fallback took back to the fallback", async () => {
  const { store, state, clock } = fragile();
  state.down = true;
  const composed = fallbackStore(store, { clock, share: 0.5, fallback: memoryStore({ clock }) });
  const policies = ["a", "b"].map((name) => ({ ...policy, name }));
  const limiter = createLimiter({ policies, store: composed });
  const { now, charges, fits, states } = receiptOf(await limiter.check("key"))!;
  const asked = state.asked;
  const part = { charges: charges.slice(1), fits: fits.slice(1), states: states.slice(1) };
  await composed.give({ now, ...part });
  expect(state.asked).toBe(asked);
  const { statuses } = await limiter.peek("key");
  expect(statuses.map(({ remaining }) => remaining)).toEqual([1, 2]);
});

test("asks the primary while it answers", async () => {
  const { store, state, clock } = fragile();
  const limiter = createLimiter({ ...policy, store: fallbackStore(store, { clock }) });
  for (let i = 0; i < 3; i++) expect((await limiter.check("key")).degraded).toBe(false);
  expect(state.asked).toBe(3);
});

test("answers from the fallback while the primary fails, tells of it once, and hands back", async () => {
  const { store, state, clock } = fragile();
  const told: unknown[] = [];
  const seen: unknown[] = [];
  const listen = (message: unknown): unknown => seen.push((message as { type: string }).type);
  subscribe("spillway:store", listen);
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(store, {
      clock,
      fallback: memoryStore({ clock }),
      onEnter: (error) => told.push(error),
      onLeave: () => told.push("left"),
    }),
  });
  for (let i = 0; i < 3; i++) await limiter.check("key");
  state.down = true;
  const during = [];
  for (let i = 0; i < 10; i++) during.push(await limiter.check("key"));
  expect(during.filter(({ allowed }) => allowed)).toHaveLength(5);
  expect(during.every(({ degraded }) => degraded)).toBe(true);
  expect(during.map(({ reason }) => reason)).not.toContain("store-unavailable");
  expect(state.asked).toBe(3 + 3);
  expect(told).toMatchObject([{ message: "down" }]);

  state.down = false;
  clock.advance(1000);
  const after = [
    await limiter.check("key"),
    await limiter.check("key"),
    await limiter.check("key"),
  ];
  expect(after.map(({ allowed, degraded }) => [allowed, degraded])).toEqual([
    [true, false],
    [true, false],
    [false, false],
  ]);
  expect(told).toHaveLength(2);
  expect(told[1]).toBe("left");
  expect(seen).toEqual(["enter", "leave"]);
  unsubscribe("spillway:store", listen);
});

test("probes with one request at a time, ever more rarely up to the retry time", async () => {
  const { store, state, clock } = fragile();
  const limiter = createLimiter({ ...policy, store: fallbackStore(store, { clock, retry: 2000 }) });
  state.down = true;
  await Promise.all(Array.from({ length: 20 }, () => limiter.check("key")));
  const probes: number[] = [];
  for (let ms = 0; ms < 20_000; ms += 50) {
    clock.advance(50);
    const before = state.asked;
    await Promise.all(Array.from({ length: 10 }, () => limiter.check("key")));
    expect(state.asked - before).toBeLessThanOrEqual(1);
    if (state.asked > before) probes.push(clock());
  }
  const waits = probes.slice(1).map((time, i) => time - probes[i]!);
  expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
  expect(Math.min(...waits.slice(6))).toBeGreaterThanOrEqual(1000);
  expect(waits[0]).toBeLessThanOrEqual(200);
});

describe("a primary that refuses to write, and answers all else", () => {
  const charge = { policy: policyOf(), key: "key", cost: 1 };
  const spent = { ...charge, key: "spent" };
  const free = { ...charge, cost: 0 };

  /** A suspended primary, and the events since. */
  function given(retry = 1000) {
    const { store, clock, inner } = fragile();
    const told: string[] = [];
    const state = { full: false };
    const primary: Store = {
      ...store,
      take(charges, keep) {
        const look = inner.take(charges, false) as Taken;
        const writes = keep && charges.some(({ cost }, i) => cost > 0 && look.fits[i]);
        if (state.full && writes) return Promise.reject(new Error("full"));
        return Promise.resolve(inner.take(charges, keep));
      },
    };
    const composed = fallbackStore(primary, {
      ...{ clock, retry },
      onEnter: () => told.push("enter"),
      onLeave: () => told.push("leave"),
    });
    const ask = async (asked: Charge, keep = true): Promise<boolean> =>
      (await composed.take([asked], keep)).degraded === true;
    return { clock, state, told, ask, inner };
  }

  async function left(retry?: number) {
    const made = given(retry);
    await made.inner.take([{ ...spent, cost: 5 }], true);
    made.state.full = true;
    for (let i = 0; i < 3; i++) await made.ask(charge);
    expect(made.told).toEqual(["enter"]);
    made.clock.advance(1000);
    return made;
  }

  test.each([
    ["a look", charge, false],
    ["what costs nothing", free, true],
    ["a refusal", spent, true],
  ] as const)("is not back by %s, which it answers", async (_, asked, keep) => {
    const { ask, told, clock } = await left();
    for (let i = 0; i < 5; i++) expect(await ask(asked, keep)).toBe(false);
    for (let i = 0; i < 40; i++) {
      clock.advance(500);
      await ask(asked, keep);
      expect(await ask(charge)).toBe(true);
    }
    expect(told).toEqual(["enter"]);
  });

  test("is back at once by a charge", async () => {
    const { ask, told, state } = await left();
    expect(await ask(spent)).toBe(false);
    state.full = false;
    expect(await ask(charge)).toBe(false);
    expect(told).toEqual(["enter", "leave"]);
  });

  test("is back where nobody had to be written for as long as it is left alone at the most", async () => {
    const { ask, told, clock } = await left(2000);
    clock.advance(1000);
    for (const [elapsed, back] of [
      [0, false],
      [1999, false],
      [1, true],
    ] as const) {
      clock.advance(elapsed);
      expect(await ask(spent)).toBe(false);
      expect(told.includes("leave")).toBe(back);
    }
    // The fallback answers a single failure; the primary is not suspended.
    expect(await ask(charge)).toBe(true);
    expect(await ask(spent)).toBe(false);
    expect(told).toEqual(["enter", "leave"]);
  });
});

test("a failure among answers opens nothing: a single request goes to the fallback", async () => {
  const { store, state, clock } = fragile();
  const entered: unknown[] = [];
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(store, { clock, onEnter: (e) => entered.push(e) }),
  });
  for (let i = 0; i < 10; i++) {
    state.down = true;
    expect((await limiter.check("bad")).degraded).toBe(true);
    state.down = false;
    expect((await limiter.check("good")).degraded).toBe(false);
  }
  expect(entered).toEqual([]);
});

test("what fails late, after the primary is back, opens nothing", async () => {
  const clock = manualClock();
  const failing: ((error: Error) => void)[] = [];
  let mode: "hang" | "fail" | "work" = "hang";
  const inner = memoryStore({ clock });
  const primary: Store = {
    ...inner,
    take(charges, keep) {
      if (mode === "work") return inner.take(charges, keep);
      if (mode === "fail") throw new Error("down");
      return new Promise((_, reject) => failing.push(reject));
    },
  };
  let entered = 0;
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(primary, { clock, onEnter: () => entered++ }),
  });
  const hanging = [1, 2, 3].map(() => limiter.check("key"));
  await Promise.resolve();
  mode = "fail";
  for (let i = 0; i < 3; i++) await limiter.check("key");
  expect(entered).toBe(1);
  mode = "work";
  clock.advance(1000);
  expect((await limiter.check("key")).degraded).toBe(false);
  for (const fail of failing) fail(new Error("late"));
  await Promise.all(hanging);
  expect(failing).toHaveLength(3);
  expect(entered).toBe(1);
  expect((await limiter.check("key")).degraded).toBe(false);
});

test("grants a share of each limit, and explains decisions by that share", async () => {
  const { store, state, clock } = fragile();
  const shared = fallbackStore(store, { clock, share: 1 / 3, fallback: memoryStore({ clock }) });
  state.down = true;
  for (const [algorithm, limit, granted] of [
    ["fixed-window", 100, 33],
    ["sliding-window", 10, 3],
    ["sliding-log", 4, 1],
    ["token-bucket", 30, 10],
    ["leaky-bucket", 2, 1],
    ["fixed-window", 1, 1],
    ["fixed-window", 0, 0],
  ] as const) {
    const limiter = createLimiter({
      name: `${algorithm}-${limit}`,
      algorithm,
      limit,
      window: "1h",
      store: shared,
    });
    for (let left = granted - 1; left >= 0; left--) {
      const { allowed, remaining, limit: told } = await limiter.check("key");
      expect([allowed, remaining, told]).toEqual([true, left, granted]);
    }
    const { allowed, remaining, retryAfter, degraded } = await limiter.check("key");
    expect([allowed, remaining, degraded]).toEqual([false, 0, true]);
    if (granted === 0) continue;
    clock.advance(retryAfter - 1);
    expect((await limiter.peek("key")).allowed).toBe(false);
    clock.advance(1);
    expect((await limiter.peek("key")).allowed).toBe(true);
  }
});

test("gives back to the store that took, and resets both", async () => {
  const { store, state, clock, inner } = fragile();
  const fallback = memoryStore({ clock });
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(store, { clock, fallback, share: 0.5 }),
  });
  const first = await limiter.check("key", { cost: 2 });
  state.down = true;
  const second = await limiter.check("key", { cost: 2 });
  expect(second.remaining).toBe(0);
  await limiter.give(second);
  expect((await limiter.check("key", { cost: 2 })).allowed).toBe(true);
  await expect(limiter.reset("key")).rejects.toMatchObject({ cause: { message: "down" } });
  expect(fallback.size).toBe(0);
  state.down = false;
  await limiter.give(first);
  expect(inner.size).toBe(0);
});

test("gives up on a primary that does not answer at all", async () => {
  const { store, state } = fragile();
  const limiter = createLimiter({ ...policy, store: fallbackStore(store, { deadline: 5 }) });
  state.late = true;
  const decisions = [];
  for (let i = 0; i < 4; i++) decisions.push(await limiter.check("key"));
  expect(decisions.map(({ degraded, remaining }) => [degraded, remaining])).toEqual([
    [true, 4],
    [true, 3],
    [true, 2],
    [true, 1],
  ]);
  expect(state.asked).toBe(3);
});

test("gives up on a primary that hangs while it gives back or forgets, too", async () => {
  const { store, state, clock } = fragile();
  const fallback = memoryStore({ clock });
  const composed = fallbackStore(store, { deadline: 5, fallback });
  const limiter = createLimiter({ ...policy, store: composed, onError: () => {} });
  const taken = await limiter.check("key");
  state.late = true;
  expect((await limiter.check("key")).degraded).toBe(true);
  const late = { message: "The store did not answer within 5 ms" };
  await expect(limiter.give(taken)).rejects.toMatchObject(late);
  await expect(limiter.reset("key")).rejects.toMatchObject(late);
  expect(fallback.size).toBe(0);
});

const rejects = (message: string) => (): Promise<void> => Promise.reject(new Error(message));
const throws = (message: string) => (): never => {
  throw new Error(message);
};
const hangs = (): Promise<void> => new Promise(() => {});

test.each<[primary: Store["reset"], fallback: Store["reset"], failure: string | undefined]>([
  [() => {}, () => {}, undefined],
  [() => {}, throws("fallback"), "fallback"],
  [() => {}, rejects("fallback"), "fallback"],
  [throws("primary"), () => {}, "primary"],
  [throws("primary"), throws("fallback"), "primary"],
  [rejects("primary"), throws("fallback"), "primary"],
  [rejects("primary"), rejects("fallback"), "primary"],
  [hangs, rejects("fallback"), "The store did not answer within 5 ms"],
])("resets both, and tells of the primary's failure first (%#)", async (first, second, failure) => {
  const asked: string[] = [];
  const store = (name: string, reset: Store["reset"]): Store => ({
    ...memoryStore(),
    reset(...args) {
      asked.push(name);
      return reset(...args);
    },
  });
  const composed = fallbackStore(store("primary", first), {
    deadline: 5,
    fallback: store("fallback", second),
  });
  const limiter = createLimiter({ ...policy, store: composed });
  const done = limiter.reset("key").then(
    () => undefined,
    ({ cause, message }: Error) => (cause instanceof Error ? cause.message : message),
  );
  expect(await done).toBe(failure);
  expect(asked.sort()).toEqual(["fallback", "primary"]);
});

test("answers in place where its stores do", () => {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  let down = false;
  const primary: Store = {
    ...inner,
    take(charges, keep) {
      if (down) throw new Error("down");
      return inner.take(charges, keep);
    },
  };
  const store = fallbackStore(primary, { clock });
  expect(store.take([], true)).not.toBeInstanceOf(Promise);
  down = true;
  expect(store.take([], true)).toMatchObject({ degraded: true });
});

test("keeps hooks that fail from requests", async () => {
  const { store, state, clock } = fragile();
  const warnings: string[] = [];
  const listen = ({ message }: Error): unknown => warnings.push(message);
  process.on("warning", listen);
  const onEnter = (): never => {
    throw new Error("hook");
  };
  const onLeave = (): Promise<never> => Promise.reject(new Error("other hook"));
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(store, { clock, onEnter, onLeave }),
  });
  state.down = true;
  for (let i = 0; i < 4; i++) expect((await limiter.check("key")).degraded).toBe(true);
  state.down = false;
  clock.advance(1000);
  expect((await limiter.check("key")).degraded).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings).toEqual(["Error: hook", "Error: other hook"]);
});

test("passes on the programmer's errors, and shares the place of its primary", async () => {
  const mistake = Object.assign(new Error("mistake"), { code: "ERR_INVALID_CONFIG" });
  let error: Error = mistake;
  const primary: Store = { ...memoryStore(), take: () => Promise.reject(error) };
  const clock = manualClock();
  const told: string[] = [];
  const [onEnter, onLeave] = [() => told.push("enter"), () => told.push("leave")];
  const store = fallbackStore(primary, { clock, onEnter, onLeave });
  for (let i = 0; i < 5; i++) await expect(store.take([], true)).rejects.toBe(mistake);
  expect(told).toEqual([]);
  error = new Error("down");
  for (let i = 0; i < 3; i++) await store.take([], true);
  error = mistake;
  clock.advance(1000);
  // A mistake says nothing about the primary, and the next request tries again.
  for (let i = 0; i < 2; i++) await expect(store.take([], true)).rejects.toBe(mistake);
  expect(told).toEqual(["enter"]);
  expect(store.place).toBe(primary);
  const place = {};
  expect(fallbackStore({ ...primary, place }).place).toBe(place);
});

test.each([
  [undefined, {}, /primary: expected a store/],
  [memoryStore(), { share: 0 }, /share: expected a number above 0/],
  [memoryStore(), { share: 1.5 }, /share/],
  [memoryStore(), { fallback: {} }, /fallback: expected a store/],
  [memoryStore(), { fallbak: memoryStore() }, /did you mean fallback/],
  [memoryStore(), { store: memoryStore() }, /did you mean fallback/],
  [
    memoryStore(),
    memoryStore(),
    /^fallbackStore\(primary, options\): .*\{ fallback \}, received a store$/,
  ],
  [memoryStore(), { retry: 0.5, failures: 0 }, /failures.*retry|retry.*failures/],
])("refuses options that do not fit (%#)", (primary, options, message) => {
  expect(() => fallbackStore(primary as Store, options as object)).toThrow(message);
});

test.each<[says: string, answer: unknown]>([
  ["nothing", undefined],
  ["a time that is none", { now: Number.NaN, fits: [true], states: [[0, 0]] }],
  ["no list of states", { now: 1, fits: [true], states: undefined }],
  ["a state of another length", { now: 1, fits: [true], states: [[1, 2, 3, 4, 5, 6, 7]] }],
])("a primary that answers %s has failed, by promise and synchronously", async (_, answer) => {
  for (const given of [answer, Promise.resolve(answer)]) {
    const clock = manualClock();
    const primary: Store = { take: () => given as Taken, give() {}, reset() {} };
    const entered: unknown[] = [];
    const store = fallbackStore(primary, { clock, onEnter: (error) => entered.push(error) });
    const limiter = createLimiter({ ...policy, store });
    const decisions = [];
    for (let i = 0; i < 7; i++) decisions.push(await limiter.check("a"));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...Array(5).fill(true), false, false]);
    expect(decisions.every(({ degraded }) => degraded)).toBe(true);
    expect(entered).toEqual([expect.any(TypeError)]);
  }
});

test.each([
  ["at once", false],
  ["after answers by promise", true],
])("an answer that cannot be looked at is a failure, %s", async (_, later) => {
  const clock = manualClock();
  const inner = memoryStore({ clock });
  let given: unknown;
  const primary: Store = {
    take: (charges, keep) =>
      (given ??
        (later ? Promise.resolve(inner.take(charges, keep)) : inner.take(charges, keep))) as Taken,
    give() {},
    reset() {},
  };
  const seen: string[] = [];
  const store = fallbackStore(primary, {
    clock,
    onEnter: () => seen.push("enter"),
    onLeave: () => seen.push("leave"),
  });
  const limiter = createLimiter({ ...policy, store });
  expect((await limiter.check("a")).degraded).toBe(false);
  for (const nonsense of [Proxy.revocable({}, {}), "text"]) {
    given = nonsense;
    if (typeof nonsense !== "string") {
      nonsense.revoke();
      given = nonsense.proxy;
    }
    for (let i = 0; i < 3; i++) {
      const { degraded, reason } = await limiter.check(`b${i}`);
      expect([degraded, reason]).toEqual([true, "ok"]);
    }
    clock.advance(5000);
    expect((await limiter.check("c")).reason).toBe("ok");
    given = undefined;
    clock.advance(5000);
    expect((await limiter.check("d")).degraded).toBe(false);
  }
  expect(seen).toEqual(["enter", "leave", "enter", "leave"]);
});

test("a clock that steps back postpones no probe", async () => {
  const { clock, store, state } = fragile();
  let left = 0;
  const limiter = createLimiter({
    ...policy,
    store: fallbackStore(store, { clock, onLeave: () => left++ }),
  });
  state.down = true;
  for (let i = 0; i < 3; i++) await limiter.check("a");
  state.down = false;
  clock.advance(-3_600_000);
  await limiter.check("b");
  expect(left).toBe(1);
});

test("refuses a deadline that no timer can keep", () => {
  const store = memoryStore();
  for (const deadline of [0, 2 ** 31, Number.POSITIVE_INFINITY]) {
    expect(() => fallbackStore(store, { deadline })).toThrow(
      `deadline: expected whole milliseconds from 1 to 2147483647, received ${deadline}`,
    );
  }
  expect(() => fallbackStore(store, { deadline: 2 ** 31 - 1 })).not.toThrow();
});
