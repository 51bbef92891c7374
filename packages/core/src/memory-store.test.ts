import { describe, expect, it } from "vitest";
import { createLimiter } from "./limiter.ts";
import { memoryStore } from "./memory-store.ts";
import { createPolicy, type Policy, type PolicySettings } from "./policy.ts";
import { manualClock } from "./testing/manual-clock.ts";

const window = 60_000;

describe("memoryStore", () => {
  it.each<[options: object, problem: string]>([
    [{ maxKeys: 0 }, "maxKeys: expected a whole number of at least 1, received 0"],
    [{ maxKeys: 1.5 }, "maxKeys: expected a whole number of at least 1, received 1.5"],
    [{ maxKeys: "9" }, 'maxKeys: expected a whole number of at least 1, received "9"'],
    [{ maxKeys: Infinity }, "maxKeys: expected a whole number of at least 1, received Infinity"],
    [{ clock: 5 }, "clock: expected a function, received 5"],
    [{ maxkeys: 5 }, "maxkeys: expected a known option (did you mean maxKeys?)"],
  ])("refuses %j", (options, problem) => {
    expect(() => memoryStore(options)).toThrow(problem);
  });

  it("answers in place", () => {
    const taken = memoryStore({ clock: () => 5 }).take([charge("key")], true);
    expect(taken).toEqual({ now: 5, fits: [true], states: [[0, window, 1, 5]] });
  });

  it("counts the keys that are not as good as new", () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const [brief, long] = [
      policy({ name: "brief", window: 1000 }),
      policy({ name: "long", limit: 99 }),
    ];
    for (let i = 0; i < 100; i++) {
      store.take([charge(`key ${i}`, brief), charge(`key ${i % 10}`, long)], true);
    }
    expect(store.size).toBe(110);
    clock.advance(1000);
    expect(store.size).toBe(10);
    clock.advance(window);
    expect(store.size).toBe(0);
  });

  it("makes no key for a look, a cost of 0, a refusal, a reset or a refund", async () => {
    const store = memoryStore({ clock: manualClock() });
    const none = policy({ name: "none", limit: 0 });
    store.take([charge("a")], false);
    store.take([charge("b", policy({}), 0)], true);
    const taken = store.take([charge("c", none), charge("c")], true);
    store.take([charge("d", policy({ countRefused: true }), 99)], true);
    await store.reset(policy({}), "e");
    await store.give({ ...taken, fits: [true, true], charges: [charge("f", none), charge("f")] });
    expect(store.size).toBe(0);
  });

  it("forgets in passing what nobody asks for any more", () => {
    const clock = manualClock();
    const store = memoryStore({ clock, maxKeys: 1000 });
    for (let i = 0; i < 1000; i++) store.take([charge(`old ${i}`)], true);
    clock.advance(window);
    // With room for a thousand, each new key would push another out.
    for (let i = 0; i < 1000; i++) store.take([charge(`new ${i}`, policy({}), 5)], true);
    for (let i = 0; i < 1000; i++) {
      expect(store.take([charge(`new ${i}`)], true).fits).toEqual([false]);
    }
  });

  it("never holds more than maxKeys, over all policies", () => {
    const store = memoryStore({ clock: manualClock(), maxKeys: 10 });
    for (let i = 0; i < 500; i++) {
      const name = `p${i % 3}`;
      const algorithm = i % 2 === 0 ? "sliding-log" : "token-bucket";
      store.take([charge(`key ${i}`, policy({ name, algorithm }))], true);
      expect(store.size).toBeLessThanOrEqual(10);
    }
    expect(store.size).toBe(10);
  });

  it.each([
    "fixed-window",
    "sliding-window",
    "sliding-log",
    "token-bucket",
    "leaky-bucket",
  ] as const)(
    "lets an exhausted key of a %s go last, and what has most left first",
    (algorithm) => {
      const store = memoryStore({ clock: manualClock(), maxKeys: 20 });
      const own = policy({ algorithm, limit: 10 });
      for (let cost = 1; cost <= 10; cost++) store.take([charge(`used ${cost}`, own, cost)], true);
      for (let i = 0; i < 200; i++) store.take([charge(`passing ${i}`, own)], true);
      for (let cost = 2; cost <= 10; cost++) {
        const { fits } = store.take([charge(`used ${cost}`, own, 11 - cost)], false);
        expect(fits, `${cost} used`).toEqual([false]);
      }
    },
  );

  it("keeps what is taken at once for several limiters apart or together by name", async () => {
    const store = memoryStore({ clock: manualClock() });
    const [a, b] = [1, 2].map((limit) =>
      createLimiter({ name: `l${limit}`, limit, window, store }),
    );
    await a!.check("key");
    expect((await b!.check("key")).remaining).toBe(1);
    expect(store.size).toBe(2);
  });

  it("expires a key by the numbers of whoever charged it last", () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    store.take([charge("key", policy({ window: 1000 }))], true);
    store.take([charge("key", policy({ window: 600_000 }))], true);
    clock.advance(500_000);
    expect(store.size).toBe(1);
    clock.advance(100_000);
    expect(store.size).toBe(0);
  });

  it("is empty after it was closed, and works on", async () => {
    const store = memoryStore({ clock: manualClock() });
    store.take([charge("key", policy({}), 5)], true);
    await store.close?.();
    await store.close?.();
    expect(store.size).toBe(0);
    expect(store.take([charge("key")], true).fits).toEqual([true]);
  });
});

function policy(settings: Partial<PolicySettings>): Policy {
  const name = settings.name ?? "p";
  return createPolicy({
    name,
    space: name,
    algorithm: "fixed-window",
    limit: 5,
    window,
    timeZone: "UTC",
    segments: 1,
    align: "clock",
    delay: true,
    shadow: false,
    countRefused: false,
    onStoreError: "open",
    ...settings,
  });
}

function charge(key: string, of = policy({}), cost = 1) {
  return { policy: of, key, cost };
}
