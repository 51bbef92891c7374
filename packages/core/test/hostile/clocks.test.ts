import { afterEach, describe, expect, it, vi } from "vitest";
import {
  algorithms,
  createLimiter,
  denyCache,
  fallbackStore,
  memoryStore,
} from "../../src/index.ts";

const nonsense: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  2 ** 53,
  "1700006400000",
  1n,
];
const names = Object.keys(algorithms) as (keyof typeof algorithms)[];

afterEach(() => void vi.useRealTimers());

describe("a clock that answers no time", () => {
  it.each(nonsense)("such as %o is refused by every store that takes one", (answer) => {
    const clock = (): number => answer as number;
    const message =
      /^clock: expected a function that answers milliseconds since the epoch, received one that answers /;
    expect(() => memoryStore({ clock })).toThrow(message);
    expect(() => denyCache(memoryStore(), { clock })).toThrow(message);
    expect(() => fallbackStore(memoryStore(), { clock })).toThrow(message);
  });

  it.each(names)(
    "fails requests and never hangs them, where it broke later: %s",
    async (algorithm) => {
      let answer: unknown = 1_700_006_400_000;
      const errors: unknown[] = [];
      const limiter = createLimiter({
        limit: 2,
        window: "1m",
        algorithm,
        onStoreError: "closed",
        store: memoryStore({ clock: () => answer as number }),
        onError: (error) => errors.push((error as Error).cause),
      });
      for (let i = 0; i < 3; i++) await limiter.check("a");
      for (answer of nonsense) {
        expect(await limiter.check("a")).toMatchObject({
          allowed: false,
          reason: "store-unavailable",
        });
      }
      expect(errors).toEqual(
        nonsense.map(() => expect.objectContaining({ code: "ERR_INVALID_CONFIG" })),
      );
    },
  );

  it("does not end the process when keys are swept", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    vi.resetModules();
    const fresh = await import("../../src/index.ts");
    let reads = 0;
    const store = fresh.memoryStore({ clock: () => (reads++ === 0 ? 5 : Number.NaN) });
    expect(() => vi.advanceTimersByTime(5000)).not.toThrow();
    expect(reads).toBe(6);
    expect(store.take).toBeTypeOf("function");
  });
});

describe("a clock of fractions", () => {
  it.each(names)("counts whole milliseconds, and keeps its promises: %s", async (algorithm) => {
    let now = 1_700_006_400_000.7;
    const limiter = createLimiter({
      limit: 2,
      window: "1m",
      algorithm,
      store: memoryStore({ clock: () => now }),
    });
    for (let i = 0; i < 2; i++) expect((await limiter.check("a")).allowed).toBe(true);
    const { retryAfter } = await limiter.check("a");
    expect(Number.isInteger(retryAfter)).toBe(true);
    now += retryAfter - 1;
    expect((await limiter.check("a")).allowed).toBe(false);
    now += 1;
    expect((await limiter.check("a")).allowed).toBe(true);
  });
});

describe("the last milliseconds that a number can tell", () => {
  it.each(names)("are a time like any other: %s", async (algorithm) => {
    const clock = (): number => 2 ** 53 - 1;
    const limiter = createLimiter({
      limit: 2,
      window: "1m",
      algorithm,
      store: memoryStore({ clock }),
    });
    const passed = [];
    for (let i = 0; i < 4; i++) passed.push((await limiter.check("a")).allowed);
    expect(passed).toEqual([true, true, false, false]);
  });
});
