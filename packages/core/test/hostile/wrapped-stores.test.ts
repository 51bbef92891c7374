import { describe, expect, it } from "vitest";
import {
  createLimiter,
  denyCache,
  fallbackStore,
  memoryStore,
  type Store,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

const policy = { algorithm: "fixed-window", limit: 2, window: "1h" } as const;

/** The minimum that `await` accepts: `then` returns nothing, and requires both functions. */
function thenable<T>(act: () => T): Promise<T> {
  const then = (fulfilled: (value: T) => unknown, rejected: (error: unknown) => unknown): void => {
    queueMicrotask(() => {
      try {
        fulfilled(act());
      } catch (error) {
        rejected(error);
      }
    });
  };
  // biome-ignore lint/suspicious/noThenProperty: what these tests are about
  return Object.defineProperty({}, "then", { value: then }) as Promise<T>;
}

/** A store that always returns thenables that are not promises. */
function thenables(inner: Store): Store {
  return {
    take: (charges, keep) => thenable(() => inner.take(charges, keep)) as Promise<never>,
    give: (receipt) => thenable(() => void inner.give(receipt)),
    reset: (policy, key) => thenable(() => void inner.reset(policy, key)),
  };
}

const down: Store = {
  take: () =>
    thenable(() => {
      throw new Error("down");
    }),
  give: () => thenable(() => {}),
  reset: () => thenable(() => {}),
};

type Make = (inner: Store, clock: () => number) => Store;

describe("a store that answers thenables which are no promises", () => {
  const stacks: readonly (readonly [name: string, degraded: boolean, make: Make])[] = [
    ["behind a deny cache", false, (inner, clock) => denyCache(inner, { clock })],
    ["as a primary", false, (inner, clock) => fallbackStore(inner, { clock })],
    ["as a fallback", true, (inner, clock) => fallbackStore(down, { clock, fallback: inner })],
    ["behind both", false, (inner, clock) => denyCache(fallbackStore(inner, { clock }), { clock })],
  ];

  it.each(stacks)("is waited for %s", async (_, degraded, make) => {
    const clock = manualClock();
    const errors: unknown[] = [];
    const store = make(thenables(memoryStore({ clock })), clock);
    const limiter = createLimiter({ ...policy, store, onError: (error) => errors.push(error) });
    const first = await limiter.check("key");
    expect(first).toMatchObject({ reason: "ok", remaining: 1, degraded });
    await limiter.check("key");
    for (let i = 0; i < 5; i++) expect((await limiter.check("key")).reason).toBe("limited");
    expect((await limiter.peek("key")).reason).toBe("limited");
    await limiter.give(first);
    expect(await limiter.check("key")).toMatchObject({ reason: "ok", remaining: 0 });
    await limiter.reset("key");
    expect(await limiter.peek("key")).toMatchObject({ remaining: 2, degraded });
    expect(errors).toEqual([]);
  });

  it.each(stacks)("is passed on as promises %s", (_, __, make) => {
    const clock = manualClock();
    const store = make(thenables(memoryStore({ clock })), clock);
    const receipt = { now: 0, fits: [], states: [], charges: [] };
    const looked = store.take([], false);
    for (const answer of [looked, store.take([], true), store.give(receipt)]) {
      expect(answer).toBeInstanceOf(Promise);
    }
  });

  it("fails as one that rejects does", async () => {
    const broken = thenables({
      ...memoryStore(),
      give() {
        throw new Error("not given");
      },
    });
    for (const store of [denyCache(broken), fallbackStore(broken)]) {
      const limiter = createLimiter({ ...policy, store });
      const given = limiter.give(await limiter.check("key"));
      await expect(given).rejects.toMatchObject({ cause: { message: "not given" } });
    }
  });
});

describe("options that tell another value each time", () => {
  /** Makes each value readable once; later reads return something invalid. */
  function readOnce<T extends object>(values: T): T {
    const seen = new Set<string>();
    const read = (name: string, value: unknown): unknown => {
      if (seen.has(name)) return Number.NaN;
      seen.add(name);
      return value;
    };
    const fields = Object.entries(values).map(([name, value]) => [
      name,
      { enumerable: true, get: () => read(name, value) },
    ]);
    return Object.defineProperties({}, Object.fromEntries(fields)) as T;
  }

  it("are read once by a deny cache", async () => {
    const clock = manualClock();
    let asked = 0;
    const inner = memoryStore({ clock });
    const store: Store = {
      ...inner,
      take(charges, keep) {
        asked++;
        return inner.take(charges, keep);
      },
    };
    const cached = denyCache(store, readOnce({ maxAge: 1000, maxKeys: 10, clock }));
    const limiter = createLimiter({ ...policy, limit: 0, store: cached });
    for (let i = 0; i < 3; i++) await limiter.check("key");
    expect(asked).toBe(1);
  });

  it("are read once by a fallback store, which closes no store of another", async () => {
    let closed = 0;
    const fallback = { ...memoryStore(), close: () => void closed++ };
    const options = { fallback, share: 0.5, deadline: 9, failures: 1, retry: 9 };
    const store = fallbackStore(down, readOnce({ ...options, clock: manualClock() }));
    const limiter = createLimiter({ ...policy, store });
    expect(await limiter.check("key")).toMatchObject({ degraded: true, limit: 1 });
    await store.close?.();
    expect(closed).toBe(0);
  });
});
