import { expect, it } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { memoryStore } from "../../src/memory-store.ts";
import type { PolicyOptions } from "../../src/options/policy-options.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { limited, times, told } from "./limited.ts";

const base = { limit: 5, window: "60s" } as const;
const names = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "token-bucket",
  "leaky-bucket",
] as const;

it("B82 never takes nonsense of a limit function for no limit", async () => {
  const { ask } = limited({ limit: async () => 2 });
  expect((await times(3, () => ask())).map(([status]) => status)).toEqual([200, 200, 429]);
  for (const value of [undefined, null, Number.NaN, "2", -1, Infinity, 1.5]) {
    for (const limit of [() => value as number, async () => value as number]) {
      const { limiter } = limited({ limit });
      for (const _ of [1, 2, 3]) {
        await expect(limiter.check("key")).rejects.toMatchObject({
          code: "ERR_INVALID_CONFIG",
          message: expect.stringMatching(/^limit: expected a whole number .*, received /),
        });
      }
    }
  }
  const failure = new Error("no plan");
  const failing = [
    () => {
      throw failure;
    },
    () => Promise.reject(failure),
  ];
  for (const limit of failing) await expect(limited({ limit }).ask()).rejects.toBe(failure);
});

it("B83 refuses numbers that an environment does not hold", () => {
  for (const limit of [Number.NaN, Number("6O"), "6O", "10junk", "", undefined, null]) {
    expect(() => createLimiter({ ...base, limit } as never)).toThrow(/^limit: expected a whole/);
  }
  for (const window of [Number.NaN, undefined, null, "", "60000", "6Os"]) {
    expect(() => createLimiter({ ...base, window } as never)).toThrow(/^window: expected/);
  }
  expect(() => createLimiter({ ...base, limit: 0 })).not.toThrow();
});

it.each(names)("B84 refuses everything under a limit of 0: %s", async (algorithm) => {
  const { limiter, ask, store } = limited({ algorithm, limit: 0 });
  // Waiting cannot help, so no wait is given.
  expect(await times(2, () => ask())).toEqual([
    [429, 0],
    [429, 0],
  ]);
  expect(await limiter.peek("key")).toMatchObject({ limit: 0, remaining: 0, resetAfter: 0 });
  expect(store.size).toBe(0);
});

it("B85 takes 0 for 0, or refuses it by name", async () => {
  const { ask } = limited({ cost: 0 });
  expect(await times(3, () => ask())).toEqual(Array(3).fill([200, 1]));
  const refused: [option: string, options: object][] = [
    ["window", { window: 0 }],
    ["burst", { algorithm: "token-bucket", burst: 0 }],
    ["segments", { segments: 0 }],
  ];
  for (const [option, options] of refused) {
    expect(() => createLimiter({ ...base, ...options })).toThrow(
      new RegExp(`^${option}: expected`),
    );
  }
  expect(() => memoryStore({ maxKeys: 0 })).toThrow(
    /^maxKeys: expected a whole number of at least 1/,
  );
});

it("B86 refuses what is impossible by name, and counts as far as numbers go", async () => {
  const wrong: [option: string, options: object][] = [
    ...[-1, 1.7, 2 ** 53, "5"].map((limit): [string, object] => ["limit", { limit }]),
    ...[-1, 0, 0.5, 2 ** 53].map((window): [string, object] => ["window", { window }]),
    ["burst", { algorithm: "token-bucket", burst: 0, limit: 1 }],
    ["algorithm", { algorithm: "leaky" }],
    ["limt", { limt: 5 }],
    ["store", { store: "memory" }],
    ["blockDuration", { blockDuration: -1 }],
  ];
  for (const [option, options] of wrong) {
    expect(() => createLimiter({ ...base, ...options } as never)).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_CONFIG",
        message: expect.stringContaining(`${option}: expected `),
      }),
    );
  }
  const largest = Number.MAX_SAFE_INTEGER;
  expect(await limited({ limit: largest }).ask()).toEqual([200, largest - 1]);
  // An algorithm that multiplies represents less exactly, and says how much.
  expect(() => createLimiter({ ...base, limit: largest })).toThrow(/expected at most 75059993789 /);
});

it("B88 follows a limit down and up again inside a window", async () => {
  let asked = 0;
  const { limiter } = limited({ limit: () => (++asked === 7 ? 5 : 10) });
  const decisions = await times(8, () => limiter.check("key"));
  expect(decisions.slice(0, 6).every(({ allowed }) => allowed)).toBe(true);
  expect(decisions[6]).toMatchObject({ allowed: false, limit: 5, remaining: 0 });
  expect(decisions[7]).toMatchObject({ allowed: true, limit: 10, remaining: 3 });
});

it("B88 refuses nothing under a higher rate that the lower one had allowed", async () => {
  let limit = 10;
  const options: PolicyOptions = {
    algorithm: "token-bucket",
    limit: () => limit,
    burst: 10,
    window: "20s",
  };
  const { limiter, clock, ask } = limited(options);
  await ask("key", 10);
  clock.advance(4000);
  expect((await limiter.peek("key", { cost: 2 })).allowed).toBe(true);
  limit = 1000;
  expect((await limiter.peek("key", { cost: 2 })).allowed).toBe(true);
  expect(await ask("key", 10)).toEqual([200, 0]);
  expect((await limiter.check("key")).retryAfter).toBe(20);
});

it("B90 carries what was used over a reload", async () => {
  const store = memoryStore({ clock: manualClock() });
  const load = (limit: number) =>
    createLimiter({ algorithm: "token-bucket", limit, window: "1h", store });
  await load(5).check("key", { cost: 5 });
  expect(told(await load(5).check("key"))[0]).toBe(429);
  // Five of ten are used, and the change added five: nothing was refilled for free.
  expect((await load(10).peek("key")).remaining).toBe(5);
  expect((await load(2).peek("key")).remaining).toBe(0);
  expect(told(await load(2).check("key"))[0]).toBe(429);
  expect((await load(2).peek("unseen")).remaining).toBe(2);
});
